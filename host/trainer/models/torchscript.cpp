// SPDX-License-Identifier: Apache-2.0
// A model of the user's own, as torch.jit.save wrote it. Its parameters are called as in the file.
#include <fmt/format.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include <filesystem>
#include <stdexcept>

#include "host/trainer/models/families.hpp"

namespace strata::trainer {
namespace {

torch::jit::Module load_script(const std::filesystem::path& file, const ModelSite& site) {
  try {
    // Without the lines of its Python source, which only a traceback needs: they would remain in tensor
    // memory without an owner.
    torch::jit::Module module =
        torch::jit::load(file.string(), site.tensors.device(), /*load_debug_files=*/false);
    module.to(site.tensors.dtype().toScalarType());
    module.train();
    return module;
  } catch (const c10::Error& error) {
    const std::string_view message = error.what_without_backtrace();
    throw std::runtime_error(
        fmt::format("model.file: '{}' is not TorchScript: {}. Write it with torch.jit.save.", file.string(),
                    message.substr(0, message.find('\n'))));
  }
}

// Shares the tensors of `script` and of all below it, under their names.
void register_tensors(torch::nn::Module& module, const torch::jit::Module& script) {
  for (const auto& parameter : script.named_parameters(/*recurse=*/false))
    module.register_parameter(parameter.name, parameter.value, parameter.value.requires_grad());
  for (const auto& buffer : script.named_buffers(/*recurse=*/false))
    module.register_buffer(buffer.name, buffer.value);
  for (const auto& child : script.named_children()) {
    const auto registered = module.register_module(child.name, std::make_shared<torch::nn::Module>());
    register_tensors(*registered, child.value);
  }
}

}  // namespace

class ScriptModel : public Model {
 public:
  // Reads the file; parameters and buffers get the site's device, floating ones its dtype.
  ScriptModel(const std::filesystem::path& file, const ModelSite& root)
      : scope_(root.scope), module_(load_script(file, root)) {
    register_tensors(*this, module_);
  }

  // Calls the file's `forward`. Throws std::runtime_error when it does not return a tensor.
  at::Tensor forward(const at::Tensor& input) override {
    const auto range = scope_.enter("ScriptModel");
    const c10::IValue output = module_.forward({input});
    if (!output.isTensor())
      throw std::runtime_error(fmt::format(
          "model.file: its forward returned {}; it must return a tensor of logits.", output.tagKind()));
    return output.toTensor();
  }

 private:
  ModuleScope scope_;
  torch::jit::Module module_;
};

std::shared_ptr<Model> make_torchscript(const ModelParts& parts, const ModelSite& root) {
  return std::make_shared<ScriptModel>(parts.config.file, root);
}

}  // namespace strata::trainer

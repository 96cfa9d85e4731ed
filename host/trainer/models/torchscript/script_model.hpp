// SPDX-License-Identifier: Apache-2.0
// A model of the user's own, as torch.jit.save wrote it.
#pragma once

#include <torch/csrc/jit/api/module.h>

#include <filesystem>

#include "host/trainer/models/model.hpp"

namespace strata::trainer {

class ScriptModel : public Model {
 public:
  // Reads the file; parameters and buffers get the site's device, floating ones its dtype. Their names are
  // those in the file. Throws std::runtime_error with the file's name when it cannot be read.
  ScriptModel(const std::filesystem::path& file, const ModelSite& root);

  // Calls the file's `forward`. Throws std::runtime_error when it does not return a tensor.
  at::Tensor forward(const at::Tensor& input) override;

 private:
  ModuleScope scope_;
  torch::jit::Module module_;
};

}  // namespace strata::trainer

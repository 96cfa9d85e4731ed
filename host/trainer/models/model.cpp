// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/model.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "host/trainer/models/families.hpp"
#include "host/trainer/models/layers/initial_weights.hpp"
#include "host/trainer/models/layers/nf4_linear.hpp"
#include "host/trainer/models/lora_linear.hpp"

namespace strata::trainer {
namespace {

std::shared_ptr<Model> build(const ModelParts& parts, const ModelSite& root) {
  switch (parts.config.name) {
    case config::Architecture::kTransformer:
      return make_transformer(parts, root);
    case config::Architecture::kLlama:
    case config::Architecture::kQwen:
      return make_llama(parts, root);
    case config::Architecture::kGpt2:
      return make_gpt2(parts, root);
    case config::Architecture::kDistilBert:
      return make_distilbert(parts, root);
    case config::Architecture::kResnet18:
    case config::Architecture::kResnet50:
      return make_resnet(parts, root);
    case config::Architecture::kTorchScript:
      return make_torchscript(parts, root);
  }
  throw std::logic_error("model.name: the trainer does not know it, but the schema does");
}

void freeze_all_but_adapters(Model& model) {
  for (at::Tensor& parameter : model.parameters()) parameter.requires_grad_(false);
  for (const auto& module : model.modules()) {
    if (const auto* const adapted = dynamic_cast<const LoraLinear*>(module.get())) adapted->train_adapter();
  }
}

}  // namespace

std::uint64_t Model::parameter_count() const {
  std::uint64_t count = 0;
  for (const at::Tensor& parameter : parameters()) count += static_cast<std::uint64_t>(parameter.numel());
  for (const auto& module : modules()) {
    const auto* const quantized = dynamic_cast<const Nf4Linear*>(module.get());
    if (quantized != nullptr) count += quantized->unpacked_elements() - quantized->packed_elements();
  }
  return count;
}

std::uint64_t Model::trained_parameter_count() const {
  std::uint64_t count = 0;
  for (const at::Tensor& parameter : parameters())
    if (parameter.requires_grad()) count += static_cast<std::uint64_t>(parameter.numel());
  return count;
}

std::shared_ptr<Model> make_model(const ModelParts& parts, const ModelSite& root) {
  std::shared_ptr<Model> model = build(parts, root);
  if (parts.config.init == config::WeightInit::kHash) fill_with_hash(*model);
  if (parts.adapter.is_used()) freeze_all_but_adapters(*model);
  return model;
}

std::int64_t features_of_head(const config::ModelConfig& config) {
  if (config.heads <= 0 || config.d_model % config.heads != 0) {
    throw std::invalid_argument(
        fmt::format("model.heads ({}) must divide model.d_model ({}).", config.heads, config.d_model));
  }
  return config.d_model / config.heads;
}

}  // namespace strata::trainer

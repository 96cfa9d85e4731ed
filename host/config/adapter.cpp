// SPDX-License-Identifier: Apache-2.0
#include "host/config/adapter.hpp"

#include <algorithm>
#include <array>

#include "host/config/model_sizes.hpp"

namespace strata::config {

std::vector<AdaptableLayer> adaptable_layers(const ModelConfig& model) {
  const std::int64_t width = model.d_model;
  const std::int64_t inner = model.d_ff;
  if (model.name == Architecture::kGpt2)
    return {{"c_attn", width, 3 * width},
            {"c_proj", width, width},
            {"c_fc", width, inner},
            {"c_proj", inner, width}};
  if (model.name != Architecture::kLlama && model.name != Architecture::kQwen) return {};
  const std::int64_t keys = model.heads == 0 ? 0 : width / model.heads * model.kv_heads;
  return {{"q_proj", width, width},   {"k_proj", width, keys},     {"v_proj", width, keys},
          {"o_proj", width, width},   {"gate_proj", width, inner}, {"up_proj", width, inner},
          {"down_proj", inner, width}};
}

std::span<const std::string_view> default_targets(Architecture model) {
  static constexpr std::array<std::string_view, 1> kOfGpt2{"c_attn"};
  static constexpr std::array<std::string_view, 2> kOfLlama{"q_proj", "v_proj"};
  if (model == Architecture::kGpt2) return kOfGpt2;
  if (model == Architecture::kLlama || model == Architecture::kQwen) return kOfLlama;
  return {};
}

bool is_target(const AdapterConfig& adapter, std::string_view name) {
  if (!adapter.is_used()) return false;
  return std::ranges::any_of(
      adapter.targets, [&](const std::string& target) { return target == name || target == kAllLinear; });
}

std::uint64_t adapter_parameter_count(const ModelConfig& model, const AdapterConfig& adapter) {
  std::int64_t of_block = 0;
  for (const AdaptableLayer& layer : adaptable_layers(model)) {
    if (is_target(adapter, layer.name)) of_block += adapter.rank * (layer.in_features + layer.out_features);
  }
  return static_cast<std::uint64_t>(model.layers * of_block);
}

std::uint64_t parameter_count(const RunConfig& config) {
  return parameter_count(config.model) + adapter_parameter_count(config.model, config.adapter);
}

}  // namespace strata::config

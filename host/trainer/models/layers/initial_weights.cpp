// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/initial_weights.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <string_view>

#include "host/trainer/data/draws.hpp"
#include "host/trainer/models/layers/nf4_linear.hpp"

namespace strata::trainer {
namespace {

struct Spread {
  double offset;
  double scale;
};

bool is_embedding(std::string_view name) {
  constexpr std::array<std::string_view, 3> kWords{"embed", "wte", "wpe"};
  return std::ranges::any_of(
      kWords, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

Spread spread_of(std::string_view name, at::IntArrayRef sizes) {
  if (name.ends_with("bias")) return {0.0, 0.05};
  if (sizes.size() == 1) return {1.0, 0.1};
  if (is_embedding(name)) return {0.0, 0.5};
  return {0.0, 1.5 / std::sqrt(static_cast<double>(sizes[1]))};
}

at::Tensor hashed(at::IntArrayRef sizes, std::uint32_t series, Spread spread) {
  at::Tensor values = at::empty(sizes, at::kDouble);
  auto* element = values.mutable_data_ptr<double>();
  const auto elements = static_cast<std::uint32_t>(values.numel());
  for (std::uint32_t i = 0; i < elements; ++i) {
    const double unit = integer_hash(i, series) / 4294967296.0 * 2.0 - 1.0;
    *element++ = spread.offset + spread.scale * unit;
  }
  return values;
}

// By the names of their weights.
std::map<std::string, Nf4Linear*> quantized_layers(torch::nn::Module& model) {
  std::map<std::string, Nf4Linear*> layers;
  for (const auto& module : model.named_modules()) {
    auto* const layer = dynamic_cast<Nf4Linear*>(module.value().get());
    if (layer != nullptr) layers.emplace(module.key() + ".weight", layer);
  }
  return layers;
}

}  // namespace

at::Tensor truncated_normal(at::IntArrayRef sizes, double standard_deviation,
                            const at::TensorOptions& options) {
  at::Tensor weights = at::empty(sizes, options);
  if (weights.is_meta()) return weights;

  // Inverse transform sampling: uniform over the part of erf's range within the cut-off, mapped through erf's
  // inverse.
  constexpr double kCutoff = 3.0;
  const double range = std::erf(kCutoff / std::numbers::sqrt2);
  const double limit = kCutoff * standard_deviation;
  weights.uniform_(-range, range)
      .erfinv_()
      .mul_(standard_deviation * std::numbers::sqrt2)
      .clamp_(-limit, limit);
  return weights;
}

at::Tensor normal(at::IntArrayRef sizes, double standard_deviation, const at::TensorOptions& options) {
  at::Tensor weights = at::empty(sizes, options);
  return weights.is_meta() ? weights : weights.normal_(0.0, standard_deviation);
}

at::Tensor uniform(at::IntArrayRef sizes, double limit, const at::TensorOptions& options) {
  at::Tensor weights = at::empty(sizes, options);
  return weights.is_meta() ? weights : weights.uniform_(-limit, limit);
}

void fill_with_hash(torch::nn::Module& model) {
  const at::NoGradGuard no_gradients;
  const std::map<std::string, Nf4Linear*> quantized = quantized_layers(model);
  std::uint32_t series = 0;
  for (auto& parameter : model.named_parameters()) {
    at::Tensor& tensor = parameter.value();
    const auto layer = quantized.find(parameter.key());
    const at::IntArrayRef sizes = layer == quantized.end() ? tensor.sizes() : layer->second->sizes();
    const Spread spread = spread_of(parameter.key(), sizes);
    if (layer != quantized.end()) {
      layer->second->set_weight(hashed(sizes, series, spread));
    } else if (!tensor.is_meta()) {
      tensor.copy_(hashed(sizes, series, spread));
    }
    ++series;
  }
}

}  // namespace strata::trainer

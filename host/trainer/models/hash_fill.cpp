// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/hash_fill.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "host/trainer/data/integer_hash.hpp"

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

Spread spread_of(std::string_view name, const at::Tensor& parameter) {
  if (name.ends_with("bias")) return {0.0, 0.05};
  if (parameter.dim() == 1) return {1.0, 0.1};
  if (is_embedding(name)) return {0.0, 0.5};
  return {0.0, 1.5 / std::sqrt(static_cast<double>(parameter.size(1)))};
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

}  // namespace

void fill_with_hash(torch::nn::Module& model) {
  const at::NoGradGuard no_gradients;
  std::uint32_t series = 0;
  for (auto& parameter : model.named_parameters()) {
    at::Tensor& tensor = parameter.value();
    if (!tensor.is_meta()) tensor.copy_(hashed(tensor.sizes(), series, spread_of(parameter.key(), tensor)));
    ++series;
  }
}

}  // namespace strata::trainer

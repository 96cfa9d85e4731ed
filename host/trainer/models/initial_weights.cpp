// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/initial_weights.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

namespace strata::trainer {

at::Tensor truncated_normal(at::IntArrayRef sizes, double standard_deviation,
                            const at::TensorOptions& options) {
  at::Tensor weights = at::empty(sizes, options);
  if (weights.is_meta()) return weights;

  // Inverse transform sampling: uniform over what the cut-off leaves of erf's range, through erf's inverse.
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

}  // namespace strata::trainer

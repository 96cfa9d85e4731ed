#include "host/trainer/models/truncated_normal.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>

namespace strata::trainer {

at::Tensor truncated_normal(at::IntArrayRef sizes, double standard_deviation, at::Device device) {
  at::Tensor weights = at::empty(sizes, at::TensorOptions(at::kFloat).device(device));
  if (device.is_meta()) return weights;

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

}  // namespace strata::trainer

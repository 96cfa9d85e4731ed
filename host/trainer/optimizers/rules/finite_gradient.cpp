// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/finite_gradient.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

namespace strata::trainer {

// The ends say it of all: both are not a number where one element is. A map of all elements would be as large
// as the gradient.
void require_finite(const at::Tensor& gradient, std::string_view optimizer) {
  const auto [lowest, highest] = at::aminmax(gradient);
  if (std::isfinite(lowest.item<double>()) && std::isfinite(highest.item<double>())) return;
  throw std::runtime_error(
      fmt::format("{} cannot decompose a gradient of {} x {} that holds infinities or NaN; lower "
                  "optimizer.lr, set optimizer.clip_norm, or choose a precision with a wider range",
                  optimizer, gradient.size(0), gradient.size(1)));
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/adam_moments.hpp"

#include <ATen/ATen.h>

#include <cmath>

namespace strata::trainer {

void AdamMoments::make_like(const at::Tensor& gradient) {
  average = at::zeros_like(gradient, at::MemoryFormat::Preserve);
  square_average = at::zeros_like(gradient, at::MemoryFormat::Preserve);
}

double AdamMoments::bias_correction(double beta) const {
  return 1.0 - std::pow(beta, static_cast<double>(steps));
}

void AdamMoments::visit(StateVisitor& visitor, StateShape shape) {
  visitor.integer("step", steps);
  visitor.tensor("exp_avg", average, shape);
  visitor.tensor("exp_avg_sq", square_average, shape);
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// The two running means that Adam and its relatives keep, in the shape of the gradient that they see.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "host/trainer/optimizers/rules/update_rule.hpp"

namespace strata::trainer {

struct AdamMoments {
  at::Tensor average;  // of the gradient; undefined before the first step
  at::Tensor square_average;
  std::int64_t steps = 0;

  void make_like(const at::Tensor& gradient);
  // 1 - beta^steps.
  double bias_correction(double beta) const;
  void visit(StateVisitor& visitor, StateShape shape);
};

}  // namespace strata::trainer

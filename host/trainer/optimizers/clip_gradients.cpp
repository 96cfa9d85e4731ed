// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/clip_gradients.hpp"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

namespace strata::trainer {

void clip_gradients(const std::vector<at::Tensor>& gradients, double largest_norm) {
  if (gradients.empty()) return;
  const at::NoGradGuard no_gradients;
  const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2.0)), 2.0);
  at::_foreach_mul_(gradients, at::clamp_max(largest_norm / (norm + 1e-6), 1.0));
}

}  // namespace strata::trainer

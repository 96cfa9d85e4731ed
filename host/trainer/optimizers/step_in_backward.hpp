// SPDX-License-Identifier: Apache-2.0
// Steps each parameter as soon as backward has computed its gradient, as in GaLore's layer-wise form, so that
// the gradients are never all alive together.
#pragma once

#include <functional>
#include <vector>

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

class StepInBackward {
 public:
  using Step = std::function<void(const NamedParameter&)>;

  // From now on every backward calls `step` once for each parameter, when its gradient is complete and those
  // of all previously stepped parameters are freed; then it frees the gradient. `step` runs on the backward
  // thread of the parameter's device, without recording gradients; its exceptions are thrown by that
  // backward.
  StepInBackward(const std::vector<NamedParameter>& parameters, Step step);
  ~StepInBackward();
  StepInBackward(const StepInBackward&) = delete;
  StepInBackward& operator=(const StepInBackward&) = delete;

 private:
  std::vector<at::Tensor> parameters_;
};

}  // namespace strata::trainer

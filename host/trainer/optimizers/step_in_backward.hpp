// SPDX-License-Identifier: Apache-2.0
// Steps each parameter as soon as backward has its gradient, as GaLore's layer-wise form does, so that the
// gradients are never alive together.
#pragma once

#include <functional>
#include <vector>

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

class StepInBackward {
 public:
  using Step = std::function<void(const NamedParameter&)>;

  // From now on every backward calls `step` with each parameter once, when its gradient is complete and those
  // of all parameters that were stepped before are freed; afterwards it frees the gradient. `step` runs on
  // the thread that goes backward through the parameter's device, without recording gradients; what it throws
  // comes out of that backward.
  StepInBackward(const std::vector<NamedParameter>& parameters, Step step);
  ~StepInBackward();
  StepInBackward(const StepInBackward&) = delete;
  StepInBackward& operator=(const StepInBackward&) = delete;

 private:
  std::vector<at::Tensor> parameters_;
};

}  // namespace strata::trainer

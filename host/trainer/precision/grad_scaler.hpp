// SPDX-License-Identifier: Apache-2.0
// Keeps gradients of a float16 backward within that format's range: the loss is multiplied by a scale, the
// gradients are divided by it, and a step with overflowed gradients is skipped. Equivalent to
// torch.amp.GradScaler, which LibTorch does not have.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/state_visitor.hpp"

namespace strata::trainer {

class GradScaler {
 public:
  GradScaler(const config::GradScalerConfig& config, at::Device device);

  // The loss for backward. The scale is created on the device at the first call.
  at::Tensor scale(const at::Tensor& loss);

  // Divides `gradients` in place, and returns whether all are finite; only then may the optimizer step. Waits
  // for the device. Always true on a dry device.
  bool unscale(const std::vector<at::Tensor>& gradients);

  // Call after each step, performed or skipped: lowers the scale after an overflow, raises it after
  // `growth_interval` steps without one.
  void update();

  void visit(StateVisitor& visitor);

  // Its state on the device; undefined before the first loss. float32 and int32, one element each.
  const at::Tensor& scale_tensor() const { return scale_; }
  const at::Tensor& growth_tracker() const { return growth_tracker_; }

 private:
  config::GradScalerConfig config_;
  at::TensorOptions options_;
  at::Tensor scale_;
  at::Tensor growth_tracker_;  // steps without overflow
  at::Tensor found_infinite_;  // between `unscale` and `update`: 1.0 if a gradient had an infinity or a NaN
};

}  // namespace strata::trainer

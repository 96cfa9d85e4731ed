// SPDX-License-Identifier: Apache-2.0
// Keeps gradients of a float16 backward within that format's range: the loss is multiplied by a scale, the
// gradients divided by it, and a step whose gradients overflowed is left out. As torch.amp.GradScaler, which
// LibTorch has not.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/saving/state_visitor.hpp"

namespace strata::trainer {

class GradScaler {
 public:
  GradScaler(const config::GradScalerConfig& config, at::Device device);

  // The loss to go backward from. The scale is made on the device at the first call.
  at::Tensor scale(const at::Tensor& loss);

  // Divides `gradients`, in place, and returns whether all of them are finite: only then may the optimizer
  // step. Waits for the device. On a dry one they always are.
  bool unscale(const std::vector<at::Tensor>& gradients);

  // After each step, taken or left out: lowers the scale after an overflow, raises it after
  // `growth_interval` steps without.
  void update();

  void visit(StateVisitor& visitor);

  // What it keeps on the device; undefined before the first loss. float32 and int32, one element each.
  const at::Tensor& scale_tensor() const { return scale_; }
  const at::Tensor& growth_tracker() const { return growth_tracker_; }

 private:
  config::GradScalerConfig config_;
  at::TensorOptions options_;
  at::Tensor scale_;
  at::Tensor growth_tracker_;  // steps without overflow
  at::Tensor found_infinite_;  // from `unscale` to `update`: 1.0 if a gradient had an infinity or a NaN
};

}  // namespace strata::trainer

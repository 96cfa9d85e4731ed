// SPDX-License-Identifier: Apache-2.0
// The meaning of `precision`: the parameters' number format, and autocast, which casts operators' inputs to a
// shorter one. LibTorch has switches for autocast but no guard.
#pragma once

#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

#include <optional>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// The calling thread's setting for one kind of device.
struct AutocastState {
  bool enabled = false;
  bool cache = true;  // keep the cast copy of each weight until the outermost guard ends
  at::ScalarType dtype = at::kBFloat16;

  static AutocastState current(c10::DeviceType device);
};

// Sets the calling thread's state while it lives. The outermost one frees the copies of weights at its end,
// except those saved by autograd.
class AutocastGuard {
 public:
  AutocastGuard(c10::DeviceType device, const AutocastState& state);
  ~AutocastGuard();
  AutocastGuard(const AutocastGuard&) = delete;
  AutocastGuard& operator=(const AutocastGuard&) = delete;

 private:
  c10::DeviceType device_;
  AutocastState before_;
};

// For parameters, and thus for gradients and optimizer state. With an adapter: for frozen parameters that are
// not in 4 bits.
at::ScalarType parameter_dtype(const config::RunConfig& config);

// For forward and loss; empty if the precision does not cast.
std::optional<AutocastState> autocast_state(const config::RunConfig& config);

}  // namespace strata::trainer

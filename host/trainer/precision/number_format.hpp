// SPDX-License-Identifier: Apache-2.0
// What `precision` means for a run: the parameters' number format, and autocast, which casts operators'
// inputs to a shorter one. LibTorch has autocast's switches and no guard.
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
// except those that autograd has saved.
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

// Of parameters, and so of gradients and optimizer state. With an adapter: of the frozen parameters that are
// not in 4 bits.
at::ScalarType parameter_dtype(const config::RunConfig& config);

// Around forward and loss; nothing where the precision casts nothing.
std::optional<AutocastState> autocast_state(const config::RunConfig& config);

}  // namespace strata::trainer

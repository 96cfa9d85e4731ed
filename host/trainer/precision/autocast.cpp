// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/precision/autocast.hpp"

#include <ATen/autocast_mode.h>

namespace strata::trainer {
namespace {

void set_autocast(c10::DeviceType device, const AutocastState& state) {
  at::autocast::set_autocast_enabled(device, state.enabled);
  at::autocast::set_autocast_dtype(device, state.dtype);
  at::autocast::set_autocast_cache_enabled(state.cache);
}

}  // namespace

AutocastState AutocastState::current(c10::DeviceType device) {
  return {.enabled = at::autocast::is_autocast_enabled(device),
          .cache = at::autocast::is_autocast_cache_enabled(),
          .dtype = at::autocast::get_autocast_dtype(device)};
}

AutocastGuard::AutocastGuard(c10::DeviceType device, const AutocastState& state)
    : device_(device), before_(AutocastState::current(device)) {
  set_autocast(device, state);
  at::autocast::increment_nesting();
}

AutocastGuard::~AutocastGuard() {
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  set_autocast(device_, before_);
}

}  // namespace strata::trainer

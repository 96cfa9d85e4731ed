// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/precision/number_format.hpp"

#include <ATen/autocast_mode.h>

namespace strata::trainer {
namespace {

void set_autocast(c10::DeviceType device, const AutocastState& state) {
  at::autocast::set_autocast_enabled(device, state.enabled);
  at::autocast::set_autocast_dtype(device, state.dtype);
  at::autocast::set_autocast_cache_enabled(state.cache);
}

at::ScalarType base_dtype(config::BaseStorage base, config::Precision precision) {
  const bool is_half = precision == config::Precision::kBf16 || config::is_autocast(precision);
  if (base == config::BaseStorage::kNf4) return is_half ? at::kBFloat16 : at::kFloat;
  return base == config::BaseStorage::kBf16 ? at::kBFloat16 : at::kFloat;
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

at::ScalarType parameter_dtype(const config::RunConfig& config) {
  if (config.adapter.is_used()) return base_dtype(config.adapter.base, config.precision);
  switch (config.precision) {
    case config::Precision::kFp64:
      return at::kDouble;
    case config::Precision::kBf16:
      return at::kBFloat16;
    default:
      return at::kFloat;
  }
}

std::optional<AutocastState> autocast_state(const config::RunConfig& config) {
  if (!is_autocast(config.precision)) return std::nullopt;
  const bool is_bf16 = config.precision == config::Precision::kBf16Autocast;
  return AutocastState{
      .enabled = true, .cache = config.autocast_cache, .dtype = is_bf16 ? at::kBFloat16 : at::kHalf};
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/loop_thread.hpp"
#include "host/runtime/events/window_schedule.hpp"
#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/services/services.hpp"

namespace strata {
namespace {

std::int32_t active(const strata_host* host) noexcept {
  const std::uint64_t step = HostHandle::of(host).fan_out.position().step.load(std::memory_order_relaxed);
  return HostHandle::of(host).parts.schedule.contains(step) ? 1 : 0;
}

std::uint64_t first_step(const strata_host* host) noexcept {
  return HostHandle::of(host).parts.schedule.window().first_step;
}

std::uint64_t last_step(const strata_host* host) noexcept {
  return HostHandle::of(host).parts.schedule.window().last_step;
}

}  // namespace

const strata_window_service kWindowService = {sizeof(strata_window_service), 0, active, first_step,
                                              last_step};

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/clock.hpp"
#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/services/services.hpp"

namespace strata {
namespace {

std::int64_t now(const strata_host*) noexcept {
  return monotonic_ns();
}

std::int64_t to_realtime(const strata_host* host, std::int64_t moment_ns) noexcept {
  HostHandle& handle = HostHandle::of(host);
  if (handle.parts.disarmed.load(std::memory_order_relaxed)) return 0;
  return handle.parts.clock.to_realtime_ns(moment_ns);
}

}  // namespace

const strata_clock_service kClockService = {sizeof(strata_clock_service), 0, now, to_realtime};

}  // namespace strata

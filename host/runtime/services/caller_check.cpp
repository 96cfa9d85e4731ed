// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/services/caller_check.hpp"

#include <fmt/format.h>

#include "host/runtime/events/loop_thread.hpp"
#include "host/runtime/events/thread_state.hpp"
#include "host/runtime/plugins/plugin_instance.hpp"

namespace strata {

bool allowed_here(HostHandle& host, const char* function) noexcept {
  const ThreadState* thread = this_thread_if_any();
  if (thread == nullptr || thread->under_allocator == 0) return true;
  host.plugin.report_fault(fmt::format("called {} inside a memory event, where it is not allowed", function));
  return false;
}

void expect_loop_thread(HostHandle& host, const char* function) noexcept {
  if (!host.fan_out.faults().check() || host.parts.loop_thread.is_loop_thread()) return;
  host.plugin.report_fault(fmt::format("called {} on a thread other than the loop thread", function));
}

}  // namespace strata

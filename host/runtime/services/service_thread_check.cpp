// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/loop_thread.hpp"
#include "host/runtime/events/thread_state.hpp"
#include "host/runtime/plugins/host_handle.hpp"
#include "host/runtime/services/services.hpp"

namespace strata {
namespace {

std::int32_t is_loop_thread(const strata_host* host) noexcept {
  return HostHandle::of(host).parts.loop_thread.is_loop_thread() ? 1 : 0;
}

std::int32_t is_under_allocator(const strata_host*) noexcept {
  const ThreadState* thread = this_thread_if_any();
  return thread != nullptr && thread->under_allocator != 0 ? 1 : 0;
}

}  // namespace

const strata_thread_check_service kThreadCheckService = {sizeof(strata_thread_check_service), 0,
                                                         is_loop_thread, is_under_allocator};

}  // namespace strata

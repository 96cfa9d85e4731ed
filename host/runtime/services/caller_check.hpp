// SPDX-License-Identifier: Apache-2.0
// Checks that a plugin calls a service on a thread that its tag allows. Violations are PLUGIN_MISBEHAVING.
#pragma once

#include "host/runtime/plugins/host_handle.hpp"

namespace strata {

// For functions that are not [alloc-lock]: if the calling thread is inside a memory event, counts a fault and
// returns false.
bool allowed_here(HostHandle& host, const char* function) noexcept;

// For [loop-thread] functions, in check mode only: counts a fault if another thread drives the run.
void expect_loop_thread(HostHandle& host, const char* function) noexcept;

}  // namespace strata

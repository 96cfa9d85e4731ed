// SPDX-License-Identifier: Apache-2.0
// Whether a plugin calls a service on a thread where its tag allows it. Breaches are PLUGIN_MISBEHAVING.
#pragma once

#include "host/runtime/services/host_handle.hpp"

namespace strata {

// For functions that are not [alloc-lock]: false, and a fault, when the calling thread is inside a memory
// event.
bool allowed_here(HostHandle& host, const char* function) noexcept;

// For [loop-thread] functions, in check mode only: a fault when another thread drives the run.
void expect_loop_thread(HostHandle& host, const char* function) noexcept;

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Reports every block of pinned host memory that torch hands out and takes back, on every thread: host memory
// that CUDA devices copy from and to asynchronously.
//
// The allocator registered with ATen for CUDA's host memory is wrapped, and each block's deleter is replaced
// by ours. A block counts from when it is handed out until it is released. What the wrapped allocator holds
// of the host's memory, with what it rounds up and caches, is reported as a sum. Wrapper and deleter stay
// valid for the life of the process and report nothing while no host is connected.
//
// Not seen: allocations before `install`.
#pragma once

#include <string>

namespace strata::torch_source {

// [loop-thread] If torch's CUDA half is loaded, registers the wrapper around the currently registered
// allocator; else has no effect. Returns why that is impossible, or an empty text.
std::string install_pinned_allocator();

// [loop-thread] Registers the wrapped allocator again, unless another one was registered meanwhile.
void restore_pinned_allocator();

}  // namespace strata::torch_source

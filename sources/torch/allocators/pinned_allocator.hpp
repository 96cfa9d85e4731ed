// SPDX-License-Identifier: Apache-2.0
// Tells of every block of pinned host memory that torch hands out and takes back, on every thread: memory of
// the host that CUDA devices copy from and to while both go on.
//
// The allocator registered with ATen for CUDA's host memory is wrapped, and each block's deleter swapped for
// ours. What the wrapped one keeps for later is not told: a block counts from when it is handed out until it
// is let go of. Wrapper and deleter stay valid for the life of the process and are silent while no host is
// connected.
//
// Not seen: what was allocated before `install`.
#pragma once

#include <string>

namespace strata::torch_source {

// [loop-thread] Where CUDA's half of torch is in the process, registers the wrapper around what is registered
// now; else nothing happens. Returns why that cannot be done, or empty.
std::string install_pinned_allocator();

// [loop-thread] Registers the wrapped allocator again, unless somebody registered another one meanwhile.
void restore_pinned_allocator();

}  // namespace strata::torch_source

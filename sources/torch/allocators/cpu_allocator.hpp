// SPDX-License-Identifier: Apache-2.0
// Tells of every block that torch's CPU allocator hands out and takes back, on every thread.
//
// The allocator registered with c10 is wrapped; each block's deleter is swapped for ours, so that a free is
// seen wherever it happens. Blocks outlive the run and even the wrapper's registration: wrapper and deleter
// stay valid for the life of the process and are silent while no host is connected.
//
// A block is told of when it has an address: what is allocated with 0 bytes has none, with c10's own
// allocator. A free may name a block that was never told of: one that came from the raw interface before the
// run (oneDNN).
//
// Not seen: memory that a storage made before `install` gets by growing, because it asks the allocator it was
// made with.
#pragma once

#include <cstdint>
#include <string>

namespace strata::torch_source {

// [loop-thread] Registers the wrapper around what is registered now. Returns why that cannot be done, or
// empty.
std::string install_cpu_allocator();

// [loop-thread] Registers the wrapped allocator again, unless somebody registered another one meanwhile. c10
// keeps the highest priority ever used, so the registration that follows needs 255 as well.
void restore_cpu_allocator();

// [any] Blocks that could not be followed since the last call, because their deleter was not the one the
// wrapped allocator promises. They work; no event tells of them.
std::uint64_t take_blocks_not_followed();

}  // namespace strata::torch_source

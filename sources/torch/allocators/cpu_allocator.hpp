// SPDX-License-Identifier: Apache-2.0
// Reports every block that torch's CPU allocator hands out and takes back, on every thread.
//
// The allocator registered with c10 is wrapped, and each block's deleter is replaced by ours, so that a free
// is seen wherever it happens. Blocks outlive the run and even the wrapper's registration: wrapper and
// deleter stay valid for the life of the process and do nothing extra while no host is connected.
//
// A block is reported once it has an address: with c10's own allocator, an allocation of 0 bytes has none. A
// free may name a block that was never reported: one allocated through the raw interface before the run
// (oneDNN).
//
// Not seen: growth of a storage made before `install`, because a storage uses the allocator that it was made
// with.
#pragma once

#include <cstdint>
#include <string>

namespace strata::torch_source {

// [loop-thread] Registers the wrapper around the currently registered allocator. Returns why that is
// impossible, or an empty text.
std::string install_cpu_allocator();

// [loop-thread] Registers the wrapped allocator again, unless another one was registered meanwhile. c10 keeps
// the highest priority ever used, so this registration needs 255 as well.
void restore_cpu_allocator();

// [any] Number of blocks since the last call that could not be followed, because their deleter was not the
// one promised by the wrapped allocator. They work, but have no events.
std::uint64_t take_blocks_not_followed();

}  // namespace strata::torch_source

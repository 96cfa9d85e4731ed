// SPDX-License-Identifier: Apache-2.0
// A replay in a process of its own: CUDA's allocator, its settings and the dry GPU are a process's, once and
// for all.
#pragma once

#include "host/cli/dry/dry_gpu.hpp"
#include "host/replay/entry.hpp"

namespace strata::cli {

// Replays on the first of the devices that were chosen. This process must have no other thread, and no torch.
// What its child has to say it says on standard error. Throws UsageError where the replay cannot be had, and
// std::runtime_error where its process died.
replay::Result replay_in_process(const DryChoice& choice, const replay::Request& request);

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
// Runs a replay in a separate process, because CUDA's allocator, its settings and the dry GPU cannot be
// changed within a process.
#pragma once

#include "host/cli/dry/dry_gpu.hpp"
#include "host/replay/entry.hpp"

namespace strata::cli {

// Replays on the first of the chosen devices. This process must have no other thread, and no torch. The child
// prints its messages to standard error. Throws UsageError if a replay is impossible, and std::runtime_error
// if the child died.
replay::Result replay_in_process(const DryChoice& choice, const replay::Request& request);

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
// Which of a run's devices is looked at block by block.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

struct Recording;

// The device of that name; without one the CUDA device that most was allocated on at once, or else the CPU.
// `events` of all devices, by sequence and at least one. Throws std::invalid_argument, which names those that
// the run has, where it has none of that name.
Device choose_device(const std::vector<MemoryRow>& events, const std::string& name);

// Leaves in `run` the tensors and what autograd saved of its device. Tensors do not say whether memory of the
// host is pinned: those are where `events`, of all devices, allocated their address.
void keep_tensors_of_device(const std::vector<MemoryRow>& events, Recording& run);

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// Chooses the device of a run that is analysed block by block.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

struct Recording;

// The device with that name; if empty, the CUDA device with the highest peak, or else the CPU. `events` of
// all devices, by sequence and at least one. Throws std::invalid_argument with the names of the existing
// devices if there is none with that name.
Device choose_device(const std::vector<MemoryRow>& events, const std::string& name);

// Keeps in `run` only the tensors and saved storages of its device. Tensors do not say whether host memory is
// pinned: this is decided by where `events`, of all devices, allocated their address.
void keep_tensors_of_device(const std::vector<MemoryRow>& events, Recording& run);

}  // namespace strata::analysis

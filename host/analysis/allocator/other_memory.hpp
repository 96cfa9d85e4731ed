// SPDX-License-Identifier: Apache-2.0
// Memory outside the device whose blocks are analysed individually.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/other_memory.hpp"
#include "host/analysis/recording/memory_rows.hpp"

namespace strata::analysis {

// "cpu", "cuda:0", "pinned".
std::string device_name(const Device& device);

// `events` of all devices, by sequence. Sizes are requested sizes.
std::vector<OtherMemory> other_memory(const std::vector<MemoryRow>& events,
                                      const std::vector<TensorRow>& tensors, const Device& device);

}  // namespace strata::analysis

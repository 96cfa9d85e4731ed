// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/facts/finding.hpp"
#include "host/analysis/facts/peak.hpp"

namespace strata::analysis {

// An allocation that failed.
struct OutOfMemory {
  std::uint64_t requested_bytes = 0;
  std::optional<std::uint64_t> device_free_bytes;  // as reported by the device; empty: not reported
  std::uint64_t largest_gap_bytes = 0;             // the largest piece that was reserved but not allocated
  std::uint32_t op = 0;                            // index into Facts::texts: the requesting op
  std::uint32_t layer = 0;                         // index into Facts::texts
  Peak held;                                       // the memory alive then
  std::vector<Finding> findings;                   // proved by the recording for that moment, largest first
};

// A forward that a failed allocation ended: nothing was allocated in its outermost module after the failure.
struct FailedForward {
  std::uint64_t begin_sequence = 0, failure_sequence = 0, end_sequence = 0;

  bool made(const Block& block) const {
    return block.birth_sequence >= begin_sequence && block.birth_sequence < failure_sequence;
  }
};

}  // namespace strata::analysis

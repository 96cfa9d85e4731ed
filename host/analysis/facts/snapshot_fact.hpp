// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace strata::analysis {

// For a run that was converted from a snapshot of torch.cuda.memory: the file, and what it contains. It never
// has phases, modules and owners.
struct SnapshotFact {
  std::string file;                  // absolute
  std::uint64_t entries = 0;         // of its history
  std::uint64_t begin_sequence = 0;  // the last event that stands for what was held before the history
  std::uint64_t devices = 1;         // with any memory
  std::uint64_t held_blocks = 0;     // when the history begins, on all devices
  std::uint64_t held_bytes = 0;      // allocated in them
  bool has_times = true;             // else each entry takes a microsecond
  bool has_stacks = false, has_categories = false;
  bool was_stopped = false;  // the history ends before the snapshot
};

}  // namespace strata::analysis

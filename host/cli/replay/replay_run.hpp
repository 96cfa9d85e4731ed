// SPDX-License-Identifier: Apache-2.0
// The replays of a run: selects them, runs them, and collects the results.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/allocator/replay.hpp"

namespace strata::analysis {
struct Recording;
}

namespace strata::cli {

struct ReplayOptions {
  std::vector<std::string> settings;          // in the format of PYTORCH_CUDA_ALLOC_CONF
  std::string profile;                        // of the card for the replay; empty: the recorded one
  std::optional<std::uint64_t> memory_bytes;  // of that card, instead of its own
  bool goes_on = false;                       // after a failed request
};

// Requires a run read with ReadingDetail::kAllocator. Replays first its own settings on its own card, then on
// the requested card if it differs, then each of `options.settings` there. Throws UsageError if the run
// cannot be replayed or torch rejects the settings; ConfigError for an unknown profile.
analysis::Replay replay_run(const analysis::Recording& run, const ReplayOptions& options);

}  // namespace strata::cli

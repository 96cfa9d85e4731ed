// SPDX-License-Identifier: Apache-2.0
// A run's replays: which there are to be, each made, and what they came to.
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
  std::vector<std::string> settings;          // each as PYTORCH_CUDA_ALLOC_CONF has them
  std::string profile;                        // of the card to replay on; empty: the recorded one
  std::optional<std::uint64_t> memory_bytes;  // of that card, in place of its own
  bool goes_on = false;                       // after a request that failed
};

// Of a run that was read with ReadingDetail::kAllocator: first its own settings on its own card, then these on the
// card asked for, if it is another; then each of `options.settings` there. Throws UsageError where the run
// cannot be replayed, or torch does not take the settings; ConfigError for an unknown profile.
analysis::Replay replay_run(const analysis::Recording& run, const ReplayOptions& options);

}  // namespace strata::cli

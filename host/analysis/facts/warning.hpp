// SPDX-License-Identifier: Apache-2.0
// Limits of a recording that readers must know. host/report/words makes the sentences.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "host/analysis/facts/cuda_allocator.hpp"
#include "host/analysis/facts/thinned.hpp"

namespace strata::analysis {

enum class EventGap : std::uint8_t {
  kUnknownFree,       // of a block whose allocation is missing
  kDoubleAllocation,  // at an address that was in use
  kHomelessTensor,    // registered, in a storage that no recorded allocation made
};

struct EventGaps {
  EventGap gap = EventGap::kUnknownFree;
  std::uint64_t count = 0;
};

// The steps that have lost their detail, and the window that is left.
struct ThinnedWindow {
  std::vector<ThinnedSteps> intervals;
  std::int64_t first_step = 0, last_step = 0;
};

// No step of the active window was recorded.
struct UnreachedWindow {};

// Parameters that require a gradient but have neither a gradient nor optimizer state, while others have
// state.
struct UntrainedParameters {
  std::uint64_t count = 0, bytes = 0;
  std::string first_name;
};

// No forward was marked, nor recorded by autograd.
struct UnseenForward {};

// A text says what a reader found wrong with a file, and begins with the file's name. A CudaAllocator is one
// that told less than torch's own.
using Warning = std::variant<std::string, EventGaps, ThinnedWindow, UnreachedWindow, UnseenForward,
                             UntrainedParameters, CudaAllocator>;

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// The interface between `strata`, which does not link torch, and libstrata_replay.so, which contains CUDA's
// caching allocator. Both are built together, so C++ types can be passed. One replay per process, because the
// allocator and its settings belong to the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/analysis/allocator/allocator_calls.hpp"
#include "host/analysis/allocator/replay.hpp"
#include "host/analysis/facts/cuda_allocator.hpp"

namespace strata::replay {

inline constexpr std::size_t kNoCall = SIZE_MAX;

// Calls for one device, which is the first device of this process and has no blocks yet.
struct Request {
  std::span<const analysis::AllocatorCall> calls;
  std::string settings;                                        // in the format of PYTORCH_CUDA_ALLOC_CONF
  std::span<const analysis::AllocatorSettingsChange> changes;  // of the settings, in order
  bool goes_on = false;       // after a failed request, as if its block did not exist
  std::size_t end = kNoCall;  // stop after this call, and record the state
};

struct Sums {
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
};

// Copied between processes as bytes.
struct Outcome {
  analysis::ReplayNumbers numbers;
  analysis::AllocatorState state;            // where it ended: at `end`, or at the first failure
  std::size_t failed_call = kNoCall;         // the first one
  std::uint64_t device_free_bytes = 0;       // at that failure
  std::size_t peak_reserved_call = kNoCall;  // the first call after which the reserved peak was reached
};

struct Result {
  std::string problem;  // not empty: why nothing was replayed
  Outcome outcome;
  std::vector<Sums> after;  // each call that was made
  std::vector<std::size_t>
      emptied;  // allocations before which the program freed its cache according to a kMaybeEmpty
};

// Never throws.
using ReplayFunction = Result (*)(const Request& request);

// The symbol to look up in libstrata_replay.so: extern "C", of type ReplayFunction.
inline constexpr const char* kReplaySymbol = "strata_replay_calls";

}  // namespace strata::replay

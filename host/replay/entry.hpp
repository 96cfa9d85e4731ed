// SPDX-License-Identifier: Apache-2.0
// The door between `strata`, which holds no torch, and libstrata_replay.so, which holds CUDA's caching
// allocator. Both are built together, so C++ types may pass. One replay a process: the allocator and its
// settings are the process's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "host/analysis/allocator/allocator_calls.hpp"
#include "host/analysis/allocator/replay.hpp"

namespace strata::replay {

inline constexpr std::size_t kNoCall = SIZE_MAX;

// Made of calls on one device, which is the first of this process here, and holds no block yet.
struct Request {
  std::span<const analysis::AllocatorCall> calls;
  std::string settings;       // as PYTORCH_CUDA_ALLOC_CONF has them
  bool goes_on = false;       // after a request that failed, as if that block did not exist
  std::size_t end = kNoCall;  // after this call, with a look at what is there
};

struct Sums {
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
};

// Of a copy in another process too: its bytes are all that it is.
struct Outcome {
  analysis::ReplayNumbers numbers;
  analysis::AllocatorState state;            // where it ended: at `end`, or at the first failure
  std::size_t failed_call = kNoCall;         // the first
  std::uint64_t device_free_bytes = 0;       // then
  std::size_t peak_reserved_call = kNoCall;  // the first after which as much was reserved as ever
};

struct Result {
  std::string problem;  // not empty: nothing was replayed, and why
  Outcome outcome;
  std::vector<Sums> after;           // each call that was made
  std::vector<std::size_t> emptied;  // before which allocations the program did what a kMaybeEmpty says
};

// Never throws.
using ReplayFunction = Result (*)(const Request& request);

// The symbol to look up in libstrata_replay.so: extern "C", of type ReplayFunction.
inline constexpr const char* kReplaySymbol = "strata_replay_calls";

}  // namespace strata::replay

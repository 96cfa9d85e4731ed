// SPDX-License-Identifier: Apache-2.0
// What a replay of a run's allocator calls came to: the plain data that its table and its JSON are made from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/allocator/allocator_calls.hpp"

namespace strata::analysis {

struct Recording;

struct ReplayCard {
  std::string profile, name;  // h100-80gb, NVIDIA H100 80GB HBM3
  std::uint64_t memory_bytes = 0;
  bool is_recorded = false;  // the run's own
};

// The allocator at one moment.
struct AllocatorState {
  std::uint64_t sequence = 0;  // of the call before it
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
  std::uint64_t inactive_split_bytes = 0;  // free, and in a segment that something else keeps
  std::uint64_t largest_free_bytes = 0;    // the largest request that needs nothing of the device
};

struct ReplayNumbers {
  std::uint64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0;
  std::uint64_t most_unused_bytes = 0;   // reserved and not allocated, after any call
  std::uint64_t device_allocations = 0;  // calls of cudaMalloc, or of cuMemMap
  std::uint64_t device_frees = 0;
  std::uint64_t retries = 0;  // allocations that gave everything cached back first
  std::uint64_t out_of_memory = 0, out_of_memory_bytes = 0;  // requests that failed, and what they asked for
  std::uint64_t allocations = 0;                             // that were made
};

// Where something happened in the recorded run.
struct ReplayPlace {
  std::int64_t step = -1;  // -1: outside of steps
  std::string phase, op, layer;
};

struct ReplayFailure {
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;       // asked for
  std::uint64_t free_bytes = 0;  // of the device
  ReplayPlace place;
};

// The replay beside the recording.
struct ReplayComparison {
  struct Difference {
    std::uint64_t sequence = 0;
    std::uint64_t recorded_allocated_bytes = 0, recorded_reserved_bytes = 0;
    std::uint64_t replayed_allocated_bytes = 0, replayed_reserved_bytes = 0;
  };
  std::uint64_t compared = 0, different = 0;  // calls
  std::optional<Difference> first;
};

struct ReplayRow {
  std::string settings;  // as PYTORCH_CUDA_ALLOC_CONF has them; empty: the defaults
  ReplayCard card;
  ReplayNumbers numbers;
  AllocatorState state;                        // at the first failure, else where the most was reserved first
  std::optional<ReplayFailure> failure;        // the first
  bool goes_on = false;                        // after a failure
  std::optional<ReplayComparison> comparison;  // of the recorded settings on the recorded card
};

struct Replay {
  std::string name, directory;
  std::uint64_t calls = 0;
  std::uint64_t recorded_peak_allocated_bytes = 0, recorded_peak_reserved_bytes = 0;
  bool settings_are_known = true;
  std::vector<ReplayRow> rows;  // the recorded settings first
  std::vector<std::string> warnings;
};

inline constexpr const char* kReplaySchema = "strata.replay/1";

// JSON text that ends in a newline.
std::string replay_json(const Replay& replay);

ReplayPlace place_of(const Recording& run, const AllocatorCall& call);

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// The result of replaying a run's allocator calls: the plain data of its table and its JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/allocator/allocator_calls.hpp"
#include "host/analysis/facts/cuda_allocator.hpp"

namespace strata::analysis {

struct Recording;

struct ReplayCard {
  std::string profile, name;  // h100-80gb, NVIDIA H100 80GB HBM3
  std::uint64_t memory_bytes = 0;
  bool is_recorded = false;  // the run's own device
};

// The allocator at one moment.
struct AllocatorState {
  std::uint64_t sequence = 0;  // of the preceding call
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
  std::uint64_t inactive_split_bytes = 0;  // free, in a segment that another block keeps alive
  std::uint64_t largest_free_bytes = 0;    // the largest request that needs no memory from the device
};

struct ReplayNumbers {
  std::uint64_t peak_allocated_bytes = 0, peak_reserved_bytes = 0;
  std::uint64_t most_unused_bytes = 0;   // reserved but not allocated, after any call
  std::uint64_t device_allocations = 0;  // calls of cudaMalloc or cuMemMap
  std::uint64_t device_frees = 0;
  std::uint64_t retries = 0;                                 // allocations that first freed the whole cache
  std::uint64_t out_of_memory = 0, out_of_memory_bytes = 0;  // failed requests, and their requested size
  std::uint64_t allocations = 0;                             // successful ones
};

// A position in the recorded run.
struct ReplayPlace {
  std::int64_t step = -1;  // -1: outside of steps
  std::string phase, op, layer;
};

struct ReplayFailure {
  std::uint64_t sequence = 0;
  std::uint64_t bytes = 0;       // requested
  std::uint64_t free_bytes = 0;  // of the device
  ReplayPlace place;
};

// The replay compared with the recording.
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
  std::string settings;          // as in PYTORCH_CUDA_ALLOC_CONF; empty: the defaults
  bool follows_changes = false;  // that the program made to its settings
  ReplayCard card;
  ReplayNumbers numbers;
  AllocatorState state;  // at the first failure, else where the reserved peak was first reached
  std::optional<ReplayFailure> failure;        // the first
  bool goes_on = false;                        // continues after a failure
  std::optional<ReplayComparison> comparison;  // of the recorded settings on the recorded device
};

struct Replay {
  std::string name, directory;
  std::uint64_t calls = 0;
  std::uint64_t recorded_peak_allocated_bytes = 0, recorded_peak_reserved_bytes = 0;
  bool settings_are_known = true;
  std::vector<AllocatorSettingsChange> settings_changes;  // that the program made
  std::vector<ReplayRow> rows;                            // the recorded settings first
  std::vector<std::string> warnings;
};

inline constexpr const char* kReplaySchema = "strata.replay/1";

// JSON text ending in a newline.
std::string replay_json(const Replay& replay);

ReplayPlace place_of(const Recording& run, const AllocatorCall& call);

}  // namespace strata::analysis

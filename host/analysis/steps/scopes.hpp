// SPDX-License-Identifier: Apache-2.0
// The memory within an interval of the run: a step, an epoch, the window, the run, or the time between two
// resets of the peaks.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace strata::analysis {

struct MemoryFacts;

// From the device memory used by all processes down to the memory requested by the program; and the process's
// host memory.
enum class Measure : std::uint8_t { kDeviceUsed, kReserved, kAllocated, kRequested, kResident };
inline constexpr std::size_t kMeasures = 5;
// "device_used", "reserved", ...: as in summary.json.
const char* to_string(Measure measure);

// The value at the begin of a scope counts for its peak, as after torch.cuda.reset_peak_memory_stats().
struct ScopeLevels {
  std::uint64_t begin_bytes = 0, end_bytes = 0;
  std::uint64_t peak_bytes = 0;
  std::optional<std::int64_t> peak_ns;  // the first if there are several; empty: between two samples
};

enum class ScopeKind : std::uint8_t { kRun, kWindow, kEpoch, kStep, kReset };
const char* to_string(ScopeKind kind);

struct Scope {
  ScopeKind kind{};
  std::int64_t index = 0;  // of the epoch or step; number of the reset, from 1
  std::string label;       // "step 3", "since step 3"
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t first_step = -1, last_step = -1;            // of an epoch, a window or a step
  std::array<std::optional<ScopeLevels>, kMeasures> of{};  // by Measure; empty if not recorded

  const std::optional<ScopeLevels>& operator[](Measure measure) const {
    return of.at(static_cast<std::size_t>(measure));
  }
};

// A reset of the peaks.
struct PeakReset {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::string label;  // "step 3"
};

// The run, the window, the epochs, the steps, in this order.
std::vector<Scope> scopes_of(const MemoryFacts& facts);

// From each reset to the next; from the last to the run's end. By sequence.
std::vector<Scope> scopes_since(const MemoryFacts& facts, std::vector<PeakReset> resets);

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// The current state of one process of a running or ended run: plain data for display.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/run_end.hpp"
#include "host/analysis/live/live_blocks.hpp"
#include "host/analysis/live/live_steps.hpp"

namespace strata::analysis {

enum class LiveState : std::uint8_t {
  kWaiting,    // no rows yet
  kRunning,    // its process is writing
  kEnded,      // it ended; LiveRank::end says how
  kKilled,     // its process is gone without an end
  kUnwritten,  // open, but no process here writes it: copied, or on another machine
};
const char* to_string(LiveState state);

struct LiveDevice {
  std::string name;  // "cpu", "cuda:0", "pinned"
  std::uint64_t allocated_bytes = 0, peak_allocated_bytes = 0;
  std::optional<std::uint64_t> reserved_bytes;  // empty: the allocator does not cache, or does not report it
  std::uint64_t peak_reserved_bytes = 0;
  std::optional<std::uint64_t> used_bytes,
      capacity_bytes;  // of the device, for all processes; last sample
  std::int64_t peak_step = -1;
  std::string peak_phase;
  LiveCategories categories;
  std::uint64_t failures = 0;  // allocations that failed
  std::uint64_t last_failure_bytes = 0;
};

struct LiveRank {
  std::uint32_t rank = 0, pid = 0;
  LiveState state = LiveState::kWaiting;
  std::optional<RunEnd> end;  // of a run that ended
  std::string problem;        // why its store cannot be read completely
  std::string name;           // the run's
  std::string unit = "tokens";
  std::string dry;                   // the simulated GPU; empty: a real one
  bool caught_up = false;            // all existing rows have been read
  std::uint64_t rows = 0;            // read so far
  double elapsed_ns = 0.0;           // since the run's begin: until now, or until its last row
  std::optional<std::int64_t> step;  // the last one that began
  bool step_open = false;
  std::uint32_t schedule = 0;                   // STRATA_STEP_*
  std::uint64_t first_step = 0, last_step = 0;  // the window
  std::uint64_t steps_ended = 0;
  std::optional<double> last_step_ns;
  std::optional<LivePace> pace;
  std::optional<double> loss;
  std::int64_t loss_step = -1;
  std::string phase;                // the innermost open one; empty: none
  double phase_ns = 0.0;            // how long it has been open
  std::vector<LiveDevice> devices;  // most allocated first, CUDA devices before the host
  std::uint64_t resident_bytes = 0, peak_resident_bytes = 0;  // of the process; 0: not sampled
  std::uint64_t thinned_steps = 0;  // the oldest, whose detail was removed (store.max_mb)
  std::uint64_t dropped_rows = 0;   // reported by gaps
};

}  // namespace strata::analysis

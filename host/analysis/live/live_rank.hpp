// SPDX-License-Identifier: Apache-2.0
// What is known by now of one process of a run that goes on, or has ended: plain data, to be shown.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/live/live_blocks.hpp"
#include "host/analysis/live/live_steps.hpp"

namespace strata::analysis {

enum class LiveState : std::uint8_t {
  kWaiting,    // no rows yet
  kRunning,    // its process writes
  kEnded,      // it came to its end, which LiveRank::end names
  kKilled,     // its process is gone and said nothing
  kUnwritten,  // open, and no process here writes it: copied from elsewhere, or on another machine
};
const char* to_string(LiveState state);

struct LiveDevice {
  std::string name;  // "cpu", "cuda:0", "pinned"
  std::uint64_t allocated_bytes = 0, peak_allocated_bytes = 0;
  std::optional<std::uint64_t> reserved_bytes;  // nothing: the allocator keeps nothing back, or does not say
  std::uint64_t peak_reserved_bytes = 0;
  std::optional<std::uint64_t> used_bytes,
      capacity_bytes;  // of the device, by all processes; as last sampled
  std::int64_t peak_step = -1;
  std::string peak_phase;
  LiveCategories categories;
  std::uint64_t failures = 0;  // allocations that failed
  std::uint64_t last_failure_bytes = 0;
};

struct LiveRank {
  std::uint32_t rank = 0, pid = 0;
  LiveState state = LiveState::kWaiting;
  std::string end;      // done, failed...: of a run that ended
  std::string problem;  // why its store cannot be read, or not to its end
  std::string name;     // the run's
  std::string unit = "tokens";
  std::string dry;                   // the card that a dry device stands in for; empty: a real one
  bool caught_up = false;            // all rows that were there have been read
  std::uint64_t rows = 0;            // read so far
  double elapsed_ns = 0.0;           // since the run's begin: to now, or to its last row
  std::optional<std::int64_t> step;  // the last that began
  bool step_open = false;
  std::uint32_t schedule = 0;                   // STRATA_STEP_*
  std::uint64_t first_step = 0, last_step = 0;  // the window
  std::uint64_t steps_ended = 0;
  std::optional<double> last_step_ns;
  std::optional<LivePace> pace;
  std::optional<double> loss;
  std::int64_t loss_step = -1;
  std::string phase;                // the innermost that is open; empty: none
  double phase_ns = 0.0;            // for how long
  std::vector<LiveDevice> devices;  // the one with most allocated first, CUDA devices before the host
  std::uint64_t resident_bytes = 0, peak_resident_bytes = 0;  // of the process; 0: not sampled
  std::uint64_t thinned_steps = 0;  // the oldest, whose detail made room (store.max_mb)
  std::uint64_t dropped_rows = 0;   // told by gaps
};

}  // namespace strata::analysis

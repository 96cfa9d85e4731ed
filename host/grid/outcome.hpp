// SPDX-License-Identifier: Apache-2.0
// How a cell's process ended, and what that makes of the cell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "host/grid/cell_state.hpp"

namespace strata::grid {

struct Ending {
  std::optional<int> exit_code, signal;  // one of them
  bool timed_out = false;                // the grid ended it, for limits.timeout
  bool interrupted = false;              // the grid ended it, for it was interrupted itself
  bool no_room = false;                  // the disk is full
};

// The state after an attempt that ended so, from the one of its begin. `run` and `output` are what it left.
CellState state_after(CellState running, const Ending& ending, const std::filesystem::path& run,
                      const std::filesystem::path& output);

// Of a cell whose runner died: when its own process had come to its end before, what it left says so.
// Nothing: it has to run again.
std::optional<CellState> state_left_behind(CellState running, const std::filesystem::path& run);

// What the run's manifest says was not recorded, as on a disk that was full: then its numbers say nothing.
// Empty where all was.
std::string store_problem(const std::filesystem::path& run);

// Whether what a failed process said, or the room on its disk, means that the disk is full.
bool ran_out_of_room(const std::filesystem::path& folder, const std::filesystem::path& output);

// The last line that is not empty, at most 400 characters.
std::string last_line(const std::filesystem::path& output);

}  // namespace strata::grid

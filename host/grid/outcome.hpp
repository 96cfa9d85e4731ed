// SPDX-License-Identifier: Apache-2.0
// How a cell's process ended, and the resulting state of the cell.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "host/grid/cell_state.hpp"

namespace strata::grid {

struct Ending {
  std::optional<int> exit_code, signal;  // one of them is set
  bool timed_out = false;                // ended by the grid because of limits.timeout
  bool interrupted = false;              // ended by the grid because the grid was interrupted
  bool no_room = false;                  // the disk is full
};

// The state after an attempt with this end, from the one at its begin. `run` and `output` are what it left.
CellState state_after(CellState running, const Ending& ending, const std::filesystem::path& run,
                      const std::filesystem::path& output);

// For a cell whose runner died: if its own process had already ended, the state follows from what it left.
// Empty: it must run again.
std::optional<CellState> state_left_behind(CellState running, const std::filesystem::path& run);

// According to the run's manifest, what was not recorded, as on a full disk: then its numbers are invalid.
// Empty if everything was recorded.
std::string store_problem(const std::filesystem::path& run);

// Whether the output of a failed process, or the free space, shows that the disk is full.
bool ran_out_of_room(const std::filesystem::path& folder, const std::filesystem::path& output);

// The last line that names an error, as "RuntimeError: ..." after a traceback does; else the last non-empty
// line.
std::string line_of_error(const std::string& text);

// The same of a file, at most 400 characters.
std::string last_line(const std::filesystem::path& output);

}  // namespace strata::grid

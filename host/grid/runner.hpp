// SPDX-License-Identifier: Apache-2.0
// The engine `local`: runs cells on this machine, each in its own process, as many at once as fit.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "host/grid/grid_folder.hpp"
#include "host/grid/placement.hpp"
#include "host/grid/processes/process_set.hpp"

namespace strata::grid {

// What is told of cells while they run. None of it may throw.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void began(const Cell& cell) = 0;
  virtual void ended(const Cell& cell, const CellState& state) = 0;
  // Now and then, and after each of the above.
  virtual void looked(const std::vector<CellState>& states) = 0;
};

// The command that runs one configuration into one folder, which is not there yet.
using RunCommand = std::function<std::vector<std::string>(const std::filesystem::path& config,
                                                          const std::filesystem::path& run)>;

enum class GridEnd {
  kOver,         // each cell that was to run has come to its end
  kStopped,      // limits.on_oom or on_fail said so
  kInterrupted,  // by a signal
  kNoRoom        // the folder cannot be written any more
};

struct GridOutcome {
  GridEnd end = GridEnd::kOver;
  int signal = 0;       // of kInterrupted
  std::string message;  // of kNoRoom: what could not be written
};

class Runner {
 public:
  // `states` are those of the plan's cells, in its order.
  Runner(GridFolder folder, Plan plan, std::vector<CellState> states, Machine machine, RunCommand command,
         Watcher& watcher);

  // The host's memory that each cell is thought to need; 0 where nobody knows.
  void expect_memory(std::vector<std::uint64_t> bytes) { memory_ = std::move(bytes); }

  // Cells that are not to be run, though they are planned.
  void leave_out(std::vector<std::size_t> cells) { left_out_ = std::move(cells); }

  // Runs every other cell that is kPlanned; the folder's lock is held by the caller.
  GridOutcome run();

  const std::vector<CellState>& states() const { return states_; }

 private:
  struct Attempt {
    std::size_t cell = 0;
    Place place;
    std::chrono::steady_clock::time_point began;
    std::chrono::steady_clock::time_point told;  // to end, if it was
    bool timed_out = false, interrupted = false, killed = false;
  };

  bool start_what_fits();
  bool skip_if_dominated(std::size_t cell);
  void start(std::size_t cell, Place place);
  void end(const ProcessSet::Ended& ended);
  void look_at_time();
  void stop(GridEnd end, int signal, std::string message);
  void keep(std::size_t cell, CellState state);
  std::filesystem::path run_folder(std::size_t cell) const;

  GridFolder folder_;
  Plan plan_;
  std::vector<CellState> states_;
  std::vector<std::uint64_t> memory_;
  std::vector<std::size_t> left_out_;
  RunCommand command_;
  Watcher& watcher_;
  Placement placement_;
  ProcessSet processes_;
  std::map<pid_t, Attempt> running_;
  GridOutcome outcome_;
  bool stopping_ = false;
};

}  // namespace strata::grid

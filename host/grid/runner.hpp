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

// Receives progress of running cells. Functions must not throw.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual void began(const Cell& cell) = 0;
  virtual void ended(const Cell& cell, const CellState& state) = 0;
  // Called regularly, and after each of the above.
  virtual void looked(const std::vector<CellState>& states) = 0;
};

// How to run one cell's file into one folder, which does not exist yet; without `output`.
using RunCommand =
    std::function<Launch(const std::filesystem::path& config, const std::filesystem::path& run)>;

enum class GridEnd {
  kOver,         // each cell to be run has ended
  kStopped,      // because of limits.on_oom or on_fail
  kInterrupted,  // by a signal
  kNoRoom        // the folder is not writable any more
};

struct GridOutcome {
  GridEnd end = GridEnd::kOver;
  int signal = 0;       // for kInterrupted
  std::string message;  // for kNoRoom: what could not be written
};

class Runner {
 public:
  // `states` are those of the plan's cells, in order.
  Runner(GridFolder folder, Plan plan, std::vector<CellState> states, Machine machine, RunCommand command,
         Watcher& watcher);

  // The predicted host memory of each cell; 0 if unknown.
  void expect_memory(std::vector<std::uint64_t> bytes) { memory_ = std::move(bytes); }

  // Planned cells that must not be run.
  void leave_out(std::vector<std::size_t> cells) { left_out_ = std::move(cells); }

  // Runs all other planned cells; the caller holds the folder's lock.
  GridOutcome run();

  const std::vector<CellState>& states() const { return states_; }

 private:
  struct Attempt {
    std::size_t cell = 0;
    Place place;
    std::chrono::steady_clock::time_point began;
    std::chrono::steady_clock::time_point told;  // when it was asked to end
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

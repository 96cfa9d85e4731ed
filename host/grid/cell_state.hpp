// SPDX-License-Identifier: Apache-2.0
// The state of a cell of a grid: its status, and what is stored in its state.json.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/grid/measure.hpp"

namespace strata::grid {

enum class Status {
  kPlanned,
  kRunning,
  kOk,
  kOutOfMemory,  // of its device: counts as a result
  kFailed,
  kTimeout,  // ended by the grid after limits.timeout
  kSkipped,  // a smaller cell ran out of memory
  kLost      // ended by an external event: a kill, a reboot, a full disk
};

inline constexpr std::array kStatuses{Status::kPlanned,     Status::kRunning, Status::kOk,
                                      Status::kOutOfMemory, Status::kFailed,  Status::kTimeout,
                                      Status::kSkipped,     Status::kLost};

// "planned", "running", "ok", "oom", "failed", "timeout", "skipped", "lost".
std::string_view name_of(Status status);
std::optional<Status> status_named(std::string_view name);

// A property of the configuration that would be the same next time: only run again on request.
constexpr bool is_result(Status status) {
  return status == Status::kOk || status == Status::kOutOfMemory || status == Status::kSkipped;
}

// Final for this run of the grid.
constexpr bool is_over(Status status) {
  return is_result(status) || status == Status::kFailed || status == Status::kTimeout;
}

// The state of a cell, as stored in its state.json.
struct CellState {
  Status status = Status::kPlanned;
  std::int64_t attempt = 0;  // 0: never started
  std::int64_t pid = 0;      // of the attempt
  std::string host;
  std::string job;           // of Slurm or Flux, in the form of squeue: "12_3"; empty: none
  std::string gpus;          // CUDA_VISIBLE_DEVICES of the attempt; empty: not set
  std::string began, ended;  // UTC, ISO 8601; empty: not yet
  std::optional<int> exit_code, signal;
  std::string reason;        // why it is not ok, in one line
  std::string dominated_by;  // for a skipped cell: the id of the one that ran out of memory
  std::optional<RunResult> result;

  // Forgets the result of the last attempt, but not the attempt itself.
  void plan_again();
};

// JSON ending in a newline.
std::string state_text(const std::string& id, const CellState& state);

// Empty if the text is invalid, such as a truncated file.
std::optional<CellState> parse_state(std::string_view text);

// "2026-11-23T10:15:00Z"
std::string utc_now();

}  // namespace strata::grid

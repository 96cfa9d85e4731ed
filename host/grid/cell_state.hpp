// SPDX-License-Identifier: Apache-2.0
// The state of a cell, as stored in its state.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "host/grid/measure.hpp"
#include "host/grid/status.hpp"

namespace strata::grid {

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

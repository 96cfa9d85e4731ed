// SPDX-License-Identifier: Apache-2.0
// What is known of a cell, as its state.json keeps it.
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
  std::string job;           // of Slurm or Flux, as squeue names it: "12_3"; empty: none
  std::string gpus;          // CUDA_VISIBLE_DEVICES, as the attempt has it; empty: not said
  std::string began, ended;  // UTC, ISO 8601; empty: not yet
  std::optional<int> exit_code, signal;
  std::string reason;        // of what is not ok, in one line
  std::string dominated_by;  // of a skipped cell: the id of the one that ran out of memory
  std::optional<RunResult> result;

  // What the last attempt came to is forgotten; that there was one is not.
  void plan_again();
};

// JSON that ends in a newline.
std::string state_text(const std::string& id, const CellState& state);

// Nothing where the text is none, as of a file that was cut off.
std::optional<CellState> parse_state(std::string_view text);

// "2026-11-23T10:15:00Z"
std::string utc_now();

}  // namespace strata::grid

// SPDX-License-Identifier: Apache-2.0
// The progress of a grid.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "host/grid/cell_state.hpp"
#include "host/grid/plan/plan.hpp"

namespace strata::grid {

struct Tally {
  std::array<std::size_t, kStatuses.size()> counts{};
  std::size_t cells = 0;

  std::size_t count(Status status) const { return counts[static_cast<std::size_t>(status)]; }
  // The number of finished cells.
  std::size_t over() const;
  // "12 of 64 cells, 2 running, 1 failed"
  std::string text() const;
};

Tally tally_of(const std::vector<CellState>& states);

// The index of the cell with the lowest peak so far. Empty if none has one.
std::optional<std::size_t> best_cell(const std::vector<CellState>& states);

// Assumes that the remaining cells take as long as finished ones: `elapsed` in this process for `ended`
// cells, with `left` remaining.
std::optional<std::chrono::seconds> time_left(std::chrono::nanoseconds elapsed, std::size_t ended,
                                              std::size_t left);

// "about 1 min 20 s"
std::string time_text(std::chrono::seconds time);

}  // namespace strata::grid

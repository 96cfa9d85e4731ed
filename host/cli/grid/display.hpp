// SPDX-License-Identifier: Apache-2.0
// The progress of a grid, on standard error: one redrawn line on a terminal, one line per cell elsewhere.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "host/grid/runner.hpp"
#include "host/grid/tally.hpp"

namespace strata::cli {

class GridDisplay : public grid::Watcher {
 public:
  // `plan` must outlive it.
  GridDisplay(const grid::Plan& plan, bool terminal) : plan_(plan), terminal_(terminal) {}
  ~GridDisplay() override { clear(); }
  GridDisplay(const GridDisplay&) = delete;
  GridDisplay& operator=(const GridDisplay&) = delete;

  void began(const grid::Cell& cell) override;
  void ended(const grid::Cell& cell, const grid::CellState& state) override;
  void looked(const std::vector<grid::CellState>& states) override;

  // "12 of 64 cells, 2 running; about 40 s left; lowest peak 312.5 MiB: optimizer=adamw"
  std::string line(const std::vector<grid::CellState>& states) const;

 private:
  void clear();

  const grid::Plan& plan_;
  bool terminal_;
  bool drawn_ = false;
  std::size_t ended_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// "ok, peak 312.5 MiB, step 12.1 ms"
std::string outcome_text(const grid::CellState& state);

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
#include "host/cli/grid/display.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "host/cli/terminal.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::cli {

std::string outcome_text(const grid::CellState& state) {
  std::string text(grid::name_of(state.status));
  if (state.result) {
    const auto& peak = state.result->measures[grid::Measure::kPeakAllocated];
    const auto& step = state.result->measures[grid::Measure::kStepTime];
    if (peak) text += fmt::format(", peak {} MiB", report::mebibytes(*peak, report::decimals_for(*peak)));
    if (step && state.result->measured) text += fmt::format(", step {}", report::duration(*step));
  }
  if (!state.reason.empty()) text += ": " + report::printable(state.reason);
  return text;
}

void GridDisplay::began(const grid::Cell&) {}

void GridDisplay::ended(const grid::Cell& cell, const grid::CellState& state) {
  ++ended_;
  clear();
  const bool tells = !terminal_ || state.status != grid::Status::kOk;
  if (tells) say(fmt::format("{} {}: {}", cell.id, report::printable(cell.text()), outcome_text(state)));
}

void GridDisplay::looked(const std::vector<grid::CellState>& states) {
  if (!terminal_) return;
  complain("\r\033[K" + report::shortened(line(states), columns(STDERR_FILENO) - 1));
  drawn_ = true;
}

std::string GridDisplay::line(const std::vector<grid::CellState>& states) const {
  const grid::Tally tally = grid::tally_of(states);
  std::string text = tally.text();
  const auto left =
      grid::time_left(std::chrono::steady_clock::now() - begin_, ended_,
                      tally.count(grid::Status::kPlanned) + tally.count(grid::Status::kRunning));
  if (left && left->count() > 0) text += fmt::format("; about {} left", grid::time_text(*left));
  if (const auto best = grid::best_cell(states)) {
    const double peak = *states[*best].result->measures[grid::Measure::kPeakAllocated];
    text += fmt::format("; lowest peak {} MiB: {}", report::mebibytes(peak, report::decimals_for(peak)),
                        report::printable(plan_.cells[*best].text()));
  }
  return text;
}

void GridDisplay::clear() {
  if (drawn_) complain("\r\033[K");
  drawn_ = false;
}

}  // namespace strata::cli

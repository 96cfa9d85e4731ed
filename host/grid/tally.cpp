// SPDX-License-Identifier: Apache-2.0
#include "host/grid/tally.hpp"

#include <fmt/format.h>

#include <cmath>

namespace strata::grid {

std::size_t Tally::over() const {
  std::size_t sum = 0;
  for (const Status status : kStatuses) sum += is_over(status) ? count(status) : 0;
  return sum;
}

std::string Tally::text() const {
  std::string text = fmt::format("{} of {} cells", over(), cells);
  for (const Status status : kStatuses) {
    const bool told = status != Status::kPlanned && status != Status::kOk;
    if (told && count(status) > 0) text += fmt::format(", {} {}", count(status), name_of(status));
  }
  return text;
}

Tally tally_of(const std::vector<CellState>& states) {
  Tally tally{.counts = {}, .cells = states.size()};
  for (const CellState& state : states) ++tally.counts[static_cast<std::size_t>(state.status)];
  return tally;
}

std::optional<std::size_t> best_cell(const std::vector<CellState>& states) {
  std::optional<std::size_t> best;
  double least = 0.0;
  for (std::size_t index = 0; index < states.size(); ++index) {
    if (states[index].status != Status::kOk || !states[index].result) continue;
    const auto& peak = states[index].result->measures[Measure::kPeakAllocated];
    if (!peak || (best && *peak >= least)) continue;
    best = index;
    least = *peak;
  }
  return best;
}

std::optional<std::chrono::seconds> time_left(std::chrono::nanoseconds elapsed, std::size_t ended,
                                              std::size_t left) {
  if (ended == 0) return std::nullopt;
  const double each = std::chrono::duration<double>(elapsed).count() / static_cast<double>(ended);
  return std::chrono::seconds(std::llround(each * static_cast<double>(left)));
}

std::string time_text(std::chrono::seconds time) {
  const auto seconds = time.count();
  if (seconds < 60) return fmt::format("{} s", seconds);
  if (seconds < 3600) return fmt::format("{} min {:02} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {:02} min", seconds / 3600, seconds / 60 % 60);
}

}  // namespace strata::grid

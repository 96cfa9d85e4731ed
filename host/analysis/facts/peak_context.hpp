// SPDX-License-Identifier: Apache-2.0
// What a peak is seen against: the begin of its step, and the other high places of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/run_interval.hpp"

namespace strata::analysis {

// A high moment of a interval that is not its peak.
struct HighPlace {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  CategoryBytes categories{};
  std::uint64_t allocated_bytes = 0;
  std::uint64_t valley_bytes = 0;   // the least that is allocated between it and the peak
  std::string phase;                // the innermost one's name; empty outside any
  std::uint32_t layer = 0, op = 0;  // indices into Facts::texts: of what was allocated there; 0 of a free
};

// Blocks of one kind between the step's begin and the peak.
struct PeakChange {
  Category category = Category::kUnknown;
  BlockKind kind = BlockKind::kUnattributed;
  std::uint64_t born_bytes = 0, born_blocks = 0;    // since then, and alive at the peak
  std::uint64_t freed_bytes = 0, freed_blocks = 0;  // alive then, and dead at the peak
};

struct PeakContext {
  RunInterval interval;  // the peak's step; of a peak outside of steps the window
  CategoryBytes begin_categories{};
  std::vector<PeakChange> changes;  // those that change something, by the larger of both first
  // The highest moment of the interval that a valley parts from the peak: on the way from one to the other
  // the level falls at least 1 % of the peak below that moment. Whatever lowers the peak and leaves
  // the rest of the interval as it is can gain no more than the distance between the two.
  std::optional<HighPlace> next_place;
  // The highest moment of the interval outside of the peak's part of the step, valley or not: what no change
  // to that one phase can lower.
  std::string part_of_step;  // that phase's name; empty where the peak is in none
  std::optional<HighPlace> outside_phase;
};

}  // namespace strata::analysis

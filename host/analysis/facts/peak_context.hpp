// SPDX-License-Identifier: Apache-2.0
// The context of a peak: the begin of its step, and the step's other high moments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/run_interval.hpp"

namespace strata::analysis {

// A high moment of an interval that is not its peak.
struct HighPlace {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  CategoryBytes categories{};
  std::uint64_t allocated_bytes = 0;
  std::uint64_t valley_bytes = 0;   // the minimum allocated between it and the peak
  std::string phase;                // the innermost one's name; empty outside any
  std::uint32_t layer = 0, op = 0;  // indices into Facts::texts: of the allocation there; 0 for a free
};

// Changes of the blocks of one kind between the step's begin and the peak.
struct PeakChange {
  Category category = Category::kUnknown;
  BlockKind kind = BlockKind::kUnattributed;
  std::uint64_t born_bytes = 0, born_blocks = 0;    // since the begin, and alive at the peak
  std::uint64_t freed_bytes = 0, freed_blocks = 0;  // alive at the begin, and dead at the peak
};

struct PeakContext {
  RunInterval interval;  // the peak's step; for a peak outside of steps the window
  CategoryBytes begin_categories{};
  std::vector<PeakChange> changes;  // nonzero ones, by the larger of both values
  // The highest moment of the interval separated from the peak by a valley: between the two, allocated memory
  // falls at least 1 % of the peak below that moment. A change that lowers only the peak can gain at most the
  // distance between the two.
  std::optional<HighPlace> next_place;
  // The highest moment of the interval outside of the peak's part of the step, with or without a valley: no
  // change to that phase alone can lower it.
  std::string part_of_step;  // that phase's name; empty if the peak is in none
  std::optional<HighPlace> outside_phase;
};

}  // namespace strata::analysis

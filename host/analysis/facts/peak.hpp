// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/category.hpp"
#include "host/analysis/facts/point.hpp"

namespace strata::analysis {

// A line of "alive at the peak, by ...".
struct PeakShare {
  std::string label;
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
};

// The memory alive at one moment: at the peak, or at a failed allocation.
struct Peak {
  std::uint64_t allocated_bytes = 0, reserved_bytes = 0;
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::int64_t step = -1;
  std::string phase;
  CategoryBytes categories{};
  std::vector<PeakShare> by_kind, by_layer, by_op;  // largest first
  std::vector<std::uint32_t> largest_blocks;        // indices into Facts::blocks
};

// The memory of one place at one moment.
struct PlaceShare {
  Place place;
  std::uint64_t allocated_bytes = 0, blocks = 0;
  std::optional<std::uint64_t> reserved_bytes;  // empty: segments were not reported
};

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// The allocations at the peak that one run has and the other does not. Addresses and sequences differ between
// runs, so allocations are considered the same if they have the same category, kind, layer, maker and
// requested size, and are counted. The size added by the allocator depends on its free memory and differs
// between runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block_kind.hpp"
#include "host/analysis/facts/category.hpp"

namespace strata::analysis {

struct MemoryFacts;

struct BlockGroup {
  Category category = Category::kUnknown;
  BlockKind kind = BlockKind::kUnattributed;
  std::string layer, maker;  // numbers replaced by "*"; the maker is the owner's name, or else the operator
  std::uint64_t bytes = 0;   // requested by each
  std::uint64_t base_blocks = 0, now_blocks = 0;
  std::uint64_t base_bytes = 0, now_bytes = 0;  // of all of them, including rounding by the allocator

  std::int64_t change_bytes() const {
    return static_cast<std::int64_t>(now_bytes) - static_cast<std::int64_t>(base_bytes);
  }
};

// Groups whose bytes differ, by the size of the change, largest first.
std::vector<BlockGroup> changed_groups(const MemoryFacts& base, const MemoryFacts& now);

}  // namespace strata::analysis

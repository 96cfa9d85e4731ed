// SPDX-License-Identifier: Apache-2.0
// Which allocations at the peak one run has and another has not. No two runs share an address or a sequence,
// so that allocations are taken for the same when they are of one category and kind, of one layer and maker,
// and of one size that was asked for; and are counted. What the allocator adds to that depends on what it had
// free, and differs between runs.
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
  std::string layer, maker;  // with "*" for numbers; the maker is the owner's name, or else the operator
  std::uint64_t bytes = 0;   // that each was asked for
  std::uint64_t base_blocks = 0, now_blocks = 0;
  std::uint64_t base_bytes = 0, now_bytes = 0;  // of all, with what the allocator adds

  std::int64_t change_bytes() const {
    return static_cast<std::int64_t>(now_bytes) - static_cast<std::int64_t>(base_bytes);
  }
};

// Those whose bytes are not the same in both, by the size of the change, largest first.
std::vector<BlockGroup> changed_groups(const MemoryFacts& base, const MemoryFacts& now);

}  // namespace strata::analysis

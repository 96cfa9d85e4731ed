// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/diff/block_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/any_number.hpp"
#include "host/analysis/layers/layer_paths.hpp"

namespace strata::analysis {
namespace {

using Key = std::tuple<Category, BlockKind, std::string, std::string, std::uint64_t>;

class Groups {
 public:
  void add(const MemoryFacts& facts, std::uint64_t BlockGroup::*count, std::uint64_t BlockGroup::*bytes) {
    for (const Block& block : facts.blocks) {
      if (!block.is_alive_at(facts.peak.sequence)) continue;
      BlockGroup& group = group_of(facts, block);
      ++(group.*count);
      group.*bytes += block.bytes;
    }
  }

  std::vector<BlockGroup> changed() const {
    std::vector<BlockGroup> changed;
    for (const auto& [key, group] : groups_) {
      if (group.change_bytes() != 0) changed.push_back(group);
    }
    std::ranges::stable_sort(changed, std::ranges::greater{},
                             [](const BlockGroup& group) { return std::llabs(group.change_bytes()); });
    return changed;
  }

 private:
  BlockGroup& group_of(const MemoryFacts& facts, const Block& block) {
    BlockGroup group{.category = block.category,
                     .kind = block.kind,
                     .layer = with_any_number(layer_path(facts, block).text),
                     .maker = with_any_number(facts.texts[block.name != 0 ? block.name : block.op]),
                     .bytes = block.bytes - std::min(block.rounding_bytes, block.bytes)};
    Key key{group.category, group.kind, group.layer, group.maker, group.bytes};
    return groups_.emplace(std::move(key), std::move(group)).first->second;
  }

  std::map<Key, BlockGroup> groups_;
};

}  // namespace

std::vector<BlockGroup> changed_groups(const MemoryFacts& base, const MemoryFacts& now) {
  Groups groups;
  groups.add(base, &BlockGroup::base_blocks, &BlockGroup::base_bytes);
  groups.add(now, &BlockGroup::now_blocks, &BlockGroup::now_bytes);
  return groups.changed();
}

}  // namespace strata::analysis

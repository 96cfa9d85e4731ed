// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/alike_blocks.hpp"

#include <map>
#include <string>
#include <tuple>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/layers/any_number.hpp"

namespace strata::analysis {
std::vector<std::vector<std::uint32_t>> alike_blocks(const MemoryFacts& facts,
                                                     std::span<const std::uint32_t> blocks) {
  using Key = std::tuple<std::uint64_t, Category, BlockKind, std::uint32_t, std::uint32_t, std::string>;
  std::map<std::uint32_t, std::string> names;
  std::map<Key, std::size_t> places;
  std::vector<std::vector<std::uint32_t>> groups;
  for (const std::uint32_t index : blocks) {
    const Block& block = facts.blocks[index];
    const auto [name, is_new_name] = names.try_emplace(block.name);
    if (is_new_name) name->second = with_any_number(facts.texts.at(block.name));
    const auto [place, is_new] = places.try_emplace(
        Key{block.bytes, block.category, block.kind, block.op, block.form, name->second}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(index);
  }
  return groups;
}

}  // namespace strata::analysis

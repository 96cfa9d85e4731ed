// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/listed_outputs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <tuple>

#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/block_roles.hpp"

namespace strata::analysis {
namespace {

using Indices = std::vector<std::uint32_t>;

constexpr std::size_t kFewest = 3, kFewestWithoutModule = 8;

// If modules are unknown: other repeated blocks may be a cache or a batch.
constexpr std::array<std::string_view, 4> kResults{"aten::_softmax", "aten::_log_softmax", "aten::sigmoid",
                                                   "aten::argmax"};

bool may_be_output(const MemoryFacts& facts, const Block& block, const Evaluations& evaluations) {
  if (block.bytes == 0 || !evaluations.made(block)) return false;
  const std::string_view op = facts.texts[block.op];
  return block.layer != 0 || (traits_of(op) & kMatrixProduct) != 0 ||
         std::ranges::find(kResults, op) != kResults.end();
}

// For blocks made by one operator of one module.
struct Listed {
  Indices blocks;
  std::uint64_t modules = 0;  // that had run when the last one was made
};

// A last batch may be smaller.
bool is_alike(const Block& first, const Block& next) {
  return next.bytes <= first.bytes || is_about(next.bytes, first.bytes, 1.0);
}

// Both there at once, and gone without that anything is made between: a cache's entries go one by one, as
// what replaces them is made.
bool go_together(const std::vector<Block>& blocks, std::uint32_t one, std::uint32_t next) {
  const auto [begin, end] = std::minmax(blocks[one].death_sequence, blocks[next].death_sequence);
  if (!blocks[one].is_alive_at(blocks[next].birth_sequence)) return false;
  const auto born = std::ranges::lower_bound(blocks, begin, {}, &Block::birth_sequence);
  return begin == end || born == blocks.end() || born->birth_sequence > end;
}

}  // namespace

ListedOutputs::ListedOutputs(const MemoryFacts& facts, const Evaluations& evaluations)
    : holds_(facts.blocks.size()) {
  // By operator and module; if modules are unknown also by size, because another layer's may be smaller.
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, Listed> open;
  // The list of one evaluation may be there still when the next one begins its own.
  const auto close = [&](const Listed& listed) {
    const bool is_reported = facts.blocks[listed.blocks.front()].layer != 0;
    for (auto begin = listed.blocks.begin(); begin != listed.blocks.end();) {
      auto last = begin;
      while (last + 1 != listed.blocks.end() && go_together(facts.blocks, *last, *(last + 1))) ++last;
      const auto count = static_cast<std::size_t>(last - begin) + 1;
      for (; begin != last + 1; ++begin)
        holds_[*begin] = count >= (is_reported ? kFewest : kFewestWithoutModule);
    }
  };
  std::uint64_t modules = 0;  // that have run so far, in order
  std::uint32_t module = 0;
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (block.layer != 0 && block.layer != module) ++modules;
    if (block.layer != 0) module = block.layer;
    if (!may_be_output(facts, block, evaluations)) continue;
    Listed& listed = open[{block.op, block.layer, block.layer == 0 ? block.bytes : 0}];
    if (!listed.blocks.empty()) {
      const Block& first = facts.blocks[listed.blocks.front()];
      // One module may make several in one forward, as the query, the key and the value.
      const bool is_same_forward = block.layer != 0 && listed.modules == modules;
      if (!first.is_alive_at(block.birth_sequence)) {
        close(listed);
        listed.blocks.clear();
      } else if (is_same_forward || !is_alike(first, block)) {
        continue;
      }
    }
    listed.blocks.push_back(index);
    listed.modules = modules;
  }
  for (const auto& [made, listed] : open) close(listed);
}

}  // namespace strata::analysis

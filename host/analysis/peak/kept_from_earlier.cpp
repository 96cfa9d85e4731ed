// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/kept_from_earlier.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/forward_series.hpp"

namespace strata::analysis {
namespace {

// If an output is detached, it stays and its graph is freed. If nearly all bytes are the output itself, there
// is no significant graph, and the output is the problem.
void mark_outputs(const std::vector<Block>& blocks, std::vector<KeptBlock>& kept) {
  std::map<std::uint32_t, std::vector<KeptBlock*>> by_forward;
  for (KeptBlock& each : kept) by_forward[each.forward].push_back(&each);
  for (auto& [unused, of_forward] : by_forward) {
    std::uint64_t bytes = 0;
    for (const KeptBlock* each : of_forward) bytes += blocks[each->block].bytes;
    KeptBlock* const last = of_forward.back();
    last->is_output = blocks[last->block].bytes < bytes - blocks[last->block].bytes;
    for (KeptBlock* each : of_forward) each->has_graph = last->is_output;
  }
}

}  // namespace

KeptFromEarlier::KeptFromEarlier(const MemoryFacts& facts)
    : facts_(facts), kept_(growing_blocks(facts)), holds_(facts.blocks.size()) {
  mark_outputs(facts.blocks, kept_);
  for (const KeptBlock& each : kept_) holds_[each.block] = true;
}

std::vector<KeptBlock> KeptFromEarlier::alive_at(std::uint64_t sequence) const {
  constexpr std::uint64_t kParts = 100;
  std::vector<KeptBlock> alive;
  std::map<std::uint32_t, std::uint64_t> bytes_of_forward;
  std::uint64_t largest = 0;
  for (const KeptBlock& each : kept_) {
    const Block& block = facts_.blocks[each.block];
    if (!block.is_alive_at(sequence)) continue;
    alive.push_back(each);
    largest = std::max(largest, bytes_of_forward[each.forward] += block.bytes);
  }
  std::erase_if(alive,
                [&](const KeptBlock& each) { return bytes_of_forward[each.forward] < largest / kParts; });
  return alive;
}

std::vector<KeptBlock> KeptFromEarlier::earlier_at(std::uint64_t sequence) const {
  std::vector<KeptBlock> earlier = alive_at(sequence);
  std::erase_if(earlier, [&](const KeptBlock& each) { return !each.is_earlier_at(sequence); });
  return earlier;
}

bool are_of_graphs(const MemoryFacts& facts, const std::vector<KeptBlock>& kept) {
  std::uint64_t bytes = 0, of_graphs = 0;
  for (const KeptBlock& each : kept) {
    bytes += facts.blocks[each.block].bytes;
    if (each.has_graph && !each.is_output) of_graphs += facts.blocks[each.block].bytes;
  }
  return of_graphs > bytes / 2;
}

Maker main_maker(const MemoryFacts& facts, const std::vector<const Block*>& blocks) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> by_maker;
  for (const Block* block : blocks) by_maker[{block->op, block->layer}] += block->bytes;
  const auto largest = std::ranges::max_element(by_maker, {}, [](const auto& maker) { return maker.second; });
  if (largest == by_maker.end()) return {};
  return {.op = facts.texts[largest->first.first], .layer = facts.texts[largest->first.second]};
}

}  // namespace strata::analysis

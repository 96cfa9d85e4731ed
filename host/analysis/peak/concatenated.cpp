// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/concatenated.hpp"

#include <algorithm>
#include <optional>

#include "host/analysis/peak/block_roles.hpp"

namespace strata::analysis {
namespace {

// Of fewer it is a model's; not so in Hugging Face's Trainer, where all that a model makes has a layer.
std::size_t least(const Facts& facts) {
  const bool tells_layers = std::ranges::any_of(
      facts.blocks, [](const Block& block) { return block.kind == "op_temp" && block.layer != 0; });
  return facts.trainer == "transformers" && tells_layers ? 1 : 3;
}

// A cache of keys and values grows by one of many, an evaluation's first by as much as it began with.
struct Series {
  std::uint64_t output_bytes = 0;
  std::vector<std::uint32_t> blocks;  // the first holds two outputs
};

// The last batch may be smaller.
bool goes_on(const Facts& facts, const Series& series, const Block& next) {
  const Block& last = facts.blocks[series.blocks.back()];
  if (!last.is_alive_at(next.birth_sequence) || next.bytes <= last.bytes) return false;
  const std::uint64_t more = next.bytes - last.bytes;
  return is_about(more, series.output_bytes, 1.0) || (series.blocks.size() > 1 && more < series.output_bytes);
}

// The first output was as it is until the second came: the older of two that are as large.
std::optional<std::uint32_t> first_output(const Facts& facts, const Series& series) {
  const std::uint32_t pair = series.blocks.front();
  std::optional<std::uint32_t> first;
  for (std::uint32_t index = 0; index < pair; ++index) {
    const Block& block = facts.blocks[index];
    const bool may_be = block.is_alive_at(facts.blocks[pair].birth_sequence) &&
                        is_about(block.bytes, series.output_bytes, 1.0) &&
                        block.category != Category::kParameter && block.category != Category::kOptimizerState;
    if (!may_be) continue;
    if (first) return first;
    first = index;
  }
  return std::nullopt;
}

}  // namespace

Concatenated::Concatenated(const Facts& facts) : outputs_(facts.blocks.size()) {
  const std::size_t fewest = least(facts);
  std::vector<Series> all;
  const auto keep = [&](const Series& series) {
    if (series.blocks.size() < fewest) return;
    if (const auto first = first_output(facts, series)) outputs_[*first] = 1;
    for (std::size_t index = 0; index < series.blocks.size(); ++index)
      outputs_[series.blocks[index]] = static_cast<std::uint32_t>(index + 2);
  };
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (facts.texts[block.op] != "aten::cat" || block.layer != 0 || block.kind == "saved") continue;
    std::erase_if(all, [&](const Series& series) {
      const bool is_over = !facts.blocks[series.blocks.back()].is_alive_at(block.birth_sequence);
      if (is_over) keep(series);
      return is_over;
    });
    const auto longer =
        std::ranges::find_if(all, [&](const Series& series) { return goes_on(facts, series, block); });
    if (longer != all.end())
      longer->blocks.push_back(index);
    else
      all.push_back({.output_bytes = block.bytes / 2, .blocks = {index}});
  }
  std::ranges::for_each(all, keep);
}

}  // namespace strata::analysis

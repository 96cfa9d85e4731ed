// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/shapes/layer_shares.hpp"

#include <fmt/format.h>

#include <map>

#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/memory/alive.hpp"

namespace strata::analysis {

std::vector<LayerShare> layer_shares(const StepView& step, const std::vector<const Block*>& blocks) {
  std::vector<LayerShare> shares;
  std::map<std::string_view, std::size_t> index;
  for (const Block* block : blocks) {
    const std::string_view path = repeated_block(step.facts(), block->layer);
    if (path.empty()) continue;
    const auto [place, is_new] = index.try_emplace(path, shares.size());
    if (is_new) shares.push_back({path, {}, 0, 0});
    LayerShare& share = shares[place->second];
    share.blocks.push_back(block);
    share.bytes += block->bytes;
    share.requested_bytes += requested_bytes(*block);
  }
  return shares;
}

std::string name_of_layers(std::string_view first, std::string_view last) {
  if (first == last) return std::string(first);
  const std::size_t dot = first.rfind('.');
  const bool are_siblings =
      dot != std::string_view::npos && last.rfind('.') == dot && last.substr(0, dot) == first.substr(0, dot);
  return fmt::format("{} to {}", first, are_siblings ? last.substr(dot + 1) : last);
}

}  // namespace strata::analysis

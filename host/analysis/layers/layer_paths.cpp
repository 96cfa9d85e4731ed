// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/layers/layer_paths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {
namespace {

std::string outside_of_modules(const MemoryFacts& facts, const Block& block) {
  if (block.name != 0) return fmt::format("({})", to_string(block.kind));
  return block.phase == 0 ? "(no phase)" : fmt::format("({})", facts.phases[block.phase - 1].name);
}

}  // namespace

LayerPath layer_path(const MemoryFacts& facts, const Block& block) {
  if (block.layer == 0) {
    const std::string text = outside_of_modules(facts, block);
    return {text, {{text, text.size()}}};
  }
  LayerPath path{facts.texts[block.layer], {}};
  for (std::size_t begin = 0; begin <= path.text.size();) {
    const bool is_last = path.parts.size() + 1 == kMostPathParts;
    const std::size_t end =
        std::min(is_last ? path.text.size() : path.text.find('.', begin), path.text.size());
    path.parts.push_back({path.text.substr(begin, end - begin), end});
    begin = end + 1;
  }
  return path;
}

}  // namespace strata::analysis

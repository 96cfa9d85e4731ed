// SPDX-License-Identifier: Apache-2.0
// Where a block stands in the tree of modules.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MemoryFacts;

// Of more, the last part holds the rest.
inline constexpr std::size_t kMostPathParts = 64;

struct LayerPath {
  struct Part {
    std::string name;
    std::size_t end;  // of the path up to it, in `text`
  };
  std::string text;
  std::vector<Part> parts;  // from the root's child on; never empty
};

// The module's path at its dots; what is of no module is one part in parentheses. At most kMostPathParts.
LayerPath layer_path(const MemoryFacts& facts, const Block& block);

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// The position of a block in the tree of modules.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/analysis/facts/block.hpp"

namespace strata::analysis {

struct MemoryFacts;

// For longer paths, the last part contains the rest.
inline constexpr std::size_t kMostPathParts = 64;

struct LayerPath {
  struct Part {
    std::string name;
    std::size_t end;  // of the path up to this part, in `text`
  };
  std::string text;
  std::vector<Part> parts;  // from the root's child on; never empty
};

// The module's path, split at dots; outside of modules, one part in parentheses. At most kMostPathParts.
LayerPath layer_path(const MemoryFacts& facts, const Block& block);

}  // namespace strata::analysis

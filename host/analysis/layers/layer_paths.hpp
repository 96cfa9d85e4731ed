// SPDX-License-Identifier: Apache-2.0
// Where a block stands in the tree of modules.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

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
LayerPath layer_path(const Facts& facts, const Block& block);

// The module path up to its first number, the block of a model that repeats: "layers.3" of "layers.3.attn".
// Empty where there is none. A part of `path`.
std::string_view repeated_block(std::string_view path);

}  // namespace strata::analysis

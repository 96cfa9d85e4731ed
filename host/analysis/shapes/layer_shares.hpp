// SPDX-License-Identifier: Apache-2.0
// What the numbered layers of a model hold of some blocks, in the order of their first births.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/block.hpp"
#include "host/analysis/shapes/step_view.hpp"

namespace strata::analysis {

struct LayerShare {
  std::string_view path;  // "layers.3"; a part of the facts' texts
  std::vector<const Block*> blocks;
  std::uint64_t bytes = 0, requested_bytes = 0;
};

// `Blocks` of no numbered layer are left out.
std::vector<LayerShare> layer_shares(const StepView& step, const std::vector<const Block*>& blocks);

// "layers.0 to 5", or the one; whole names of layers that do not stand side by side.
std::string name_of_layers(std::string_view first, std::string_view last);

}  // namespace strata::analysis

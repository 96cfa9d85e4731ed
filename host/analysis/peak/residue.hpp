// SPDX-License-Identifier: Apache-2.0
// What a forward made and a program still holds behind its backward, as the logits in a variable.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

inline constexpr std::string_view kForwardResidue = "forward_residue";

// The largest of them that is alive then, the first of several; null without one.
const Block* largest_residue(std::span<const Block> blocks, std::uint64_t sequence);

// "del of what aten::mm of out made, before optimizer.step()".
std::string let_go_of(const Facts& facts, const Block& block);

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// What a forward made and a program still holds behind its backward, as the logits in a variable.
#pragma once

#include <string>
#include <string_view>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

inline constexpr std::string_view kForwardResidue = "forward_residue";

// "del of what aten::mm of out made, before optimizer.step()".
std::string let_go_of(const Facts& facts, const Block& block);

}  // namespace strata::analysis

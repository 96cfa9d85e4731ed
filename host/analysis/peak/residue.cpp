// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/residue.hpp"

#include <fmt/format.h>

namespace strata::analysis {

std::string let_go_of(const Facts& facts, const Block& block) {
  std::string maker = block.op == 0 ? "forward" : facts.texts[block.op];
  if (block.layer != 0) maker += " of " + facts.texts[block.layer];
  return fmt::format("del of what {} made, before optimizer.step()", maker);
}

}  // namespace strata::analysis

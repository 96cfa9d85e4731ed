// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/residue.hpp"

#include <fmt/format.h>

namespace strata::analysis {

const Block* largest_residue(std::span<const Block> blocks, std::uint64_t sequence) {
  const Block* largest = nullptr;
  for (const Block& block : blocks) {
    if (block.kind != kForwardResidue || !block.is_alive_at(sequence)) continue;
    if (largest == nullptr || block.bytes > largest->bytes) largest = &block;
  }
  return largest;
}

std::string let_go_of(const Facts& facts, const Block& block) {
  std::string maker = block.op == 0 ? "forward" : facts.texts[block.op];
  if (block.layer != 0) maker += " of " + facts.texts[block.layer];
  return fmt::format("del of what {} made, before optimizer.step()", maker);
}

}  // namespace strata::analysis

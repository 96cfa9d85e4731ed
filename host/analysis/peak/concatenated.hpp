// SPDX-License-Identifier: Apache-2.0
// What a program puts together of its forwards' outputs on the device, torch.cat of all that there were and
// of one more: as an evaluation collects its predictions. Old and new are there at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::analysis {

class Concatenated {
 public:
  // Looks at the blocks and texts of `facts`.
  explicit Concatenated(const Facts& facts);

  // How many outputs `block` holds, 1 of the first; 0: it is none of these. An index into Facts::blocks.
  std::uint32_t outputs(std::size_t block) const { return outputs_[block]; }

 private:
  std::vector<std::uint32_t> outputs_;
};

}  // namespace strata::analysis

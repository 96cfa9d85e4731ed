// SPDX-License-Identifier: Apache-2.0
// What a card can do at most, as its maker says: what achieved rates are held against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace strata::analysis {

struct DevicePeak {
  std::string card;
  // FLOP a second on operands of so many bytes, without sparsity; 0: unknown. Of 2 bytes the tensor cores',
  // of 4 the ordinary cores': whether torch let TF32 be used is not recorded.
  double half_flop_per_second = 0, single_flop_per_second = 0;
  double bytes_per_second = 0;

  std::optional<double> flop_per_second(std::uint32_t element_bytes) const {
    const double flop = element_bytes == 2   ? half_flop_per_second
                        : element_bytes == 4 ? single_flop_per_second
                                             : 0;
    return flop > 0 ? std::optional(flop) : std::nullopt;
  }
  // FLOP a byte below which memory is too slow to keep the cores at work.
  std::optional<double> ridge(std::uint32_t element_bytes) const {
    const auto flop = flop_per_second(element_bytes);
    return flop && bytes_per_second > 0 ? std::optional(*flop / bytes_per_second) : std::nullopt;
  }
};

}  // namespace strata::analysis

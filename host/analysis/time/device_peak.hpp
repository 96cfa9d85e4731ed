// SPDX-License-Identifier: Apache-2.0
// The peak rates of a card according to its manufacturer, for comparison with achieved rates.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace strata::analysis {

struct DevicePeak {
  std::string card;
  // FLOP per second for operands of this size, without sparsity; 0: unknown. For 2 bytes those of tensor
  // cores, for 4 those of ordinary cores, because it is not recorded whether torch used TF32.
  double half_flop_per_second = 0, single_flop_per_second = 0;
  double bytes_per_second = 0;

  std::optional<double> flop_per_second(std::uint32_t element_bytes) const {
    const double flop = element_bytes == 2   ? half_flop_per_second
                        : element_bytes == 4 ? single_flop_per_second
                                             : 0;
    return flop > 0 ? std::optional(flop) : std::nullopt;
  }
  // FLOP per byte below which memory is too slow to keep the cores busy.
  std::optional<double> ridge(std::uint32_t element_bytes) const {
    const auto flop = flop_per_second(element_bytes);
    return flop && bytes_per_second > 0 ? std::optional(*flop / bytes_per_second) : std::nullopt;
  }
};

}  // namespace strata::analysis

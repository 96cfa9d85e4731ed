// SPDX-License-Identifier: Apache-2.0
// The hash that fills weights and tokens where two programs must agree: 32-bit arithmetic only.
#pragma once

#include <cstdint>

namespace strata::trainer {

// Number `element` of the series `series`, uniform over 32 bits.
constexpr std::uint32_t integer_hash(std::uint32_t element, std::uint32_t series) {
  std::uint32_t x = element * 2654435761u + ((series + 1) * 40503u + 12345u);
  x = (x ^ (x >> 16)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}

}  // namespace strata::trainer

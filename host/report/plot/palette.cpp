// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/palette.hpp"

#include <array>

namespace strata::report::plot {

Colour phase_colour(std::uint32_t kind) {
  // STRATA_PHASE_* in order, as on the page.
  static constexpr auto kColours =
      std::to_array<std::uint32_t>({0xE7E9EE, 0xE7E9EE, 0xE6E3F3, 0xE6E3F3, 0xD5E9DC, 0xF3E8C9, 0xF6DBE2,
                                    0xE4D9EA, 0xD6EAF3, 0xD6EAF3, 0xE2E6EA, 0xE7E9EE, 0xE7E9EE});
  return Colour::of(kind < kColours.size() ? kColours.at(kind) : kColours.front());
}

}  // namespace strata::report::plot

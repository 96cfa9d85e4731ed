// SPDX-License-Identifier: Apache-2.0
// The page's light colours (page/page.css; a test compares them), distinguishable for colour-blind readers
// and in print.
#pragma once

#include <array>
#include <cstdint>

#include "host/analysis/facts/category.hpp"
#include "host/report/plot/drawing.hpp"

namespace strata::report::plot {

inline constexpr Colour kInk = Colour::of(0x18202C), kMuted = Colour::of(0x546072),
                        kRule = Colour::of(0xDFE4EC), kRest = Colour::of(0xD3D8DF),
                        kAlarm = Colour::of(0xA3202F);

inline constexpr std::array<std::uint32_t, analysis::kCategories> kCategoryColours{
    0x4A72BD, 0x78D2F2, 0x14A08C, 0xE8C25A, 0x176532, 0xD6496F, 0x74306F, 0xB4BFC6};

inline constexpr Colour colour_of(analysis::Category category) {
  return Colour::of(kCategoryColours[static_cast<std::size_t>(category)]);
}

// For a STRATA_PHASE_*.
Colour phase_colour(std::uint32_t kind);

}  // namespace strata::report::plot

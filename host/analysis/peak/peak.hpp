// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/facts.hpp"
#include "host/analysis/steps/window.hpp"

namespace strata::analysis {

// The highest moment of the window and what was alive then. Needs the blocks, phases, steps, texts and points
// of `facts`.
Peak find_peak(const Facts& facts, const Window& window);

// The same of any moment.
Peak alive_at(const Facts& facts, std::uint64_t sequence, std::int64_t ns);

}  // namespace strata::analysis

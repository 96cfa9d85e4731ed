// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/facts/peak.hpp"
#include "host/analysis/facts/peak_context.hpp"
#include "host/analysis/facts/window.hpp"

namespace strata::analysis {

struct MemoryFacts;

// The highest moment of the window and what was alive then. Needs the blocks, phases, steps, texts and points
// of `facts`.
Peak find_peak(const MemoryFacts& facts, const Window& window);

// The same of any moment.
Peak alive_at(const MemoryFacts& facts, std::uint64_t sequence, std::int64_t ns);

// What `peak` is seen against. Needs the same.
PeakContext peak_context(const MemoryFacts& facts, const Peak& peak);

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/analysis/facts/peak.hpp"
#include "host/analysis/facts/peak_context.hpp"
#include "host/analysis/facts/run_interval.hpp"

namespace strata::analysis {

struct MemoryFacts;

// The window's peak and the memory alive then. Requires the blocks, phases, steps, texts and points of
// `facts`.
Peak find_peak(const MemoryFacts& facts, const Window& window);

// The same for any moment.
Peak alive_at(const MemoryFacts& facts, std::uint64_t sequence, std::int64_t ns);

// The context of `peak`. Same requirements.
PeakContext peak_context(const MemoryFacts& facts, const Peak& peak);

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// A peak compared with the begin of its step and with the step's other high moments, in words.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/peak_context.hpp"
#include "host/analysis/peak/outside_window.hpp"

namespace strata::report {

// The changes since the peak's step began that the sentence contains: the largest.
std::span<const analysis::PeakChange> reported_changes(const analysis::MemoryFacts& facts);

// "Since the step began +1,680.4 MiB: Activation saved +1,596.2, ..."; empty if nothing changed.
std::string change_sentence(const analysis::MemoryFacts& facts);

// The gain from lowering the peak, in one or two sentences. Empty for a run without a peak.
std::vector<std::string> place_sentences(const analysis::MemoryFacts& facts);

// "step 0, backward", "evaluation", "outside of steps"
std::string moment_of(const analysis::OutsideWindow& outside);

// "13,751.2 MiB outside of the window: evaluation; ..." if the run's memory is higher there; else empty.
std::string outside_window_sentence(const analysis::MemoryFacts& facts);

}  // namespace strata::report

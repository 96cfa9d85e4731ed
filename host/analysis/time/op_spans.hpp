// SPDX-License-Identifier: Apache-2.0
// The operators of a run with how long each was at work itself, in which layer, phase and step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/time_spans.hpp"
#include "host/analysis/time/step_moments.hpp"

namespace strata::analysis {

struct Recording;

// By ordinal, which is the order of their begins. A parent that does not exist, is of another thread or does
// not hold its child's begin is taken for none; a child ends with its parent at the latest.
std::vector<OpSpan> op_spans(const Recording& run, const StepMoments& moments);

std::optional<std::uint32_t> find_op(const std::vector<OpSpan>& spans, std::uint64_t ordinal);

}  // namespace strata::analysis

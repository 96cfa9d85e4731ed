// SPDX-License-Identifier: Apache-2.0
// The operators of a run with their own time, layer, phase and step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/time_spans.hpp"
#include "host/analysis/time/step_moments.hpp"

namespace strata::analysis {

struct Recording;

// By ordinal, which is the order of begin. Ignores a parent that does not exist, is on another thread or does
// not contain its child's begin. A child ends no later than its parent.
std::vector<OpSpan> op_spans(const Recording& run, const StepMoments& moments);

std::optional<std::uint32_t> find_op(const std::vector<OpSpan>& spans, std::uint64_t ordinal);

}  // namespace strata::analysis

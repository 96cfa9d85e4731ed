// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/shapes/shape.hpp"

namespace strata::analysis {

struct MemoryFacts;

// The shapes of the window's complete steps, and of the run, in the order of their moments. Of several steps
// with the same shape `shown_step` shows it (nothing: the step of the run's peak), else the first. A rule
// that needs what was not recorded, operators or modules, finds nothing.
std::vector<Shape> find_shapes(const MemoryFacts& facts, std::optional<std::int64_t> shown_step = {});

}  // namespace strata::analysis

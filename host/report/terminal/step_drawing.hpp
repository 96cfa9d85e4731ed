// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// The steps' times as bars in eighths, with the longest step of each column; below them a mark where the
// steady steps begin. Two or three lines of at most `width` columns; empty for fewer than two steps.
std::string step_drawing(const analysis::Facts& facts, int width);

}  // namespace strata::report

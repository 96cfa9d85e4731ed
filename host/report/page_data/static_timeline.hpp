// SPDX-License-Identifier: Apache-2.0
// The whole run's memory as a small SVG, for a page that may not run its script.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// An <svg> element whose paths have the classes of the page's categories. Empty where nothing was recorded.
// It holds numbers and names of categories alone: nothing of the run's own texts.
std::string static_timeline(const analysis::MemoryFacts& facts);

}  // namespace strata::report

// SPDX-License-Identifier: Apache-2.0
// The whole run's memory as a small SVG, for a page whose script may not run.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// An <svg> element whose paths use the classes of the page's categories. Empty if nothing was recorded. It
// contains only numbers and names of categories, none of the run's own texts.
std::string static_timeline(const analysis::MemoryFacts& facts);

}  // namespace strata::report

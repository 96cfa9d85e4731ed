// SPDX-License-Identifier: Apache-2.0
// Facts of a run in which every name tries to break out of its place on the page.
#pragma once

#include <string>
#include <vector>

#include "host/analysis/facts/facts.hpp"

namespace strata::report::testing {

// Markup, quotes, newlines, terminal escapes, 10,000 characters, invalid UTF-8. Names that a browser would
// execute set window.hostile, or load something.
const std::vector<std::string>& hostile_names();

analysis::Facts hostile_facts();

}  // namespace strata::report::testing

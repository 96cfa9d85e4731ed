// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// The output of `strata report --warm-up --json`: strata.warm-up/1 of docs/warm-up.md, ending in a newline.
std::string warm_up_document(const analysis::Facts& facts);

}  // namespace strata::report

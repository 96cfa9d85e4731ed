// SPDX-License-Identifier: Apache-2.0
// A run's facts as one self-contained HTML file, which opens offline.
#pragma once

#include <string>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// The whole file. Any thread.
std::string page(const analysis::Facts& facts);

}  // namespace strata::report

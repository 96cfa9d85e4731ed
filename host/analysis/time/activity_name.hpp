// SPDX-License-Identifier: Apache-2.0
// What an activity is called where people read it.
#pragma once

#include <string>

#include "host/analysis/facts/time_rows.hpp"

namespace strata::analysis {

// `text` is the name that the activity carries. A kernel's is demangled; a copy is called by its direction.
std::string activity_name(const ActivityRow& activity, const std::string& text);

}  // namespace strata::analysis

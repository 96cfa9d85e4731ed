// SPDX-License-Identifier: Apache-2.0
// Readable names of activities.
#pragma once

#include <string>

#include "host/analysis/facts/time_rows.hpp"

namespace strata::analysis {

// `text` is the recorded name. A kernel's is demangled; a copy is named by its direction.
std::string activity_name(const ActivityRow& activity, const std::string& text);

}  // namespace strata::analysis

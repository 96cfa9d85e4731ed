// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// How to record modules, if a forward allocated memory and none of it has a module; else empty.
std::string_view how_to_record_modules(const analysis::MemoryFacts& facts);

}  // namespace strata::report

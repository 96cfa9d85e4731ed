// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// How a program tells its modules, where its forward made something and none of it has one; else empty.
std::string_view how_to_record_modules(const analysis::MemoryFacts& facts);

}  // namespace strata::report

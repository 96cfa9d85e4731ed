// SPDX-License-Identifier: Apache-2.0
// Reads pickles with the same restrictions as memory_viz.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

namespace strata::exports::testing {

// The value of a pickle; tuples become arrays. Throws std::runtime_error for what memory_viz cannot read: a
// protocol above 4, an unknown opcode, a number of more than 8 bytes, more than 1,000 items at once, text
// that is not UTF-8.
nlohmann::json unpickle(std::string_view pickle);

}  // namespace strata::exports::testing

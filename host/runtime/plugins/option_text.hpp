// SPDX-License-Identifier: Apache-2.0
// Parses the text of an option according to its type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "strata/entry.h"

namespace strata {

using OptionValue = std::variant<bool, std::int64_t, double, std::string>;

// INTEGER and BYTES give std::int64_t. Throws std::invalid_argument; its message states what was expected and
// what was found, but not the option's name.
OptionValue parse_option(const strata_option& option, std::string_view text);

// "a whole number from 1 to 64", for messages and help.
std::string expectation(const strata_option& option);

// "integer", "bytes"...; "unknown" for a type this host does not know.
std::string_view option_type_name(std::uint32_t type);

}  // namespace strata

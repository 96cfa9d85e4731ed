// SPDX-License-Identifier: Apache-2.0
// Formats amounts for the sentence of a shape.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata::analysis {

// "1,234.5 MiB"; with three decimals below 10 MiB.
std::string said_bytes(std::uint64_t bytes);

// "1 block", "12,345 blocks"
std::string said_count(std::uint64_t count, std::string_view one, std::string_view many);

}  // namespace strata::analysis

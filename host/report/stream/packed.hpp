// SPDX-License-Identifier: Apache-2.0
// Bytes as text that a page can carry: deflated without a header (RFC 1951), then base64 (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace strata::report {

// Throws std::runtime_error where zlib cannot: without memory.
std::string deflated(std::string_view bytes);

std::string base64(std::string_view bytes);

}  // namespace strata::report

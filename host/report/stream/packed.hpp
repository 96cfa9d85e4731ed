// SPDX-License-Identifier: Apache-2.0
// Binary data as text for a page: deflated without a header (RFC 1951), then base64 (RFC 4648).
#pragma once

#include <string>
#include <string_view>

namespace strata::report {

// Throws std::runtime_error if zlib fails: out of memory.
std::string deflated(std::string_view bytes);

std::string base64(std::string_view bytes);

}  // namespace strata::report

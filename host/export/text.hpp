// SPDX-License-Identifier: Apache-2.0
// Converts untrusted text (names of layers, ops, owners) to the formats of exports.
#pragma once

#include <string>
#include <string_view>

namespace strata::exports {

// Each invalid byte of UTF-8 is replaced by U+FFFD; the rest is unchanged.
std::string valid_text(std::string_view text);

// A JSON string with quotes, made from valid_text.
std::string json_text(std::string_view text);

// A JSON number, or null for NaN and infinities.
std::string json_number(double number);

// A CSV field according to RFC 4180, made from valid_text: quoted if it contains a comma, a quote or a
// newline. A text that a spreadsheet would execute as a formula is prefixed with a '; the page's CSV does the
// same (host/report/page/csv.js).
std::string csv_text(std::string_view text);

}  // namespace strata::exports

// SPDX-License-Identifier: Apache-2.0
// Text from a stranger's program (names of layers, ops, owners) as the formats can hold it.
#pragma once

#include <string>
#include <string_view>

namespace strata::exports {

// Each invalid byte of UTF-8 becomes U+FFFD; everything else stays.
std::string valid_text(std::string_view text);

// A JSON string with its quotes, of valid_text.
std::string json_text(std::string_view text);

// A JSON number, or null where there is none (NaN, an infinity).
std::string json_number(double number);

// A field of CSV as RFC 4180 has it, of valid_text: quoted where it holds a comma, a quote or a line's end. A
// text that a spreadsheet would take for a formula, and run, stands behind a '; the page's CSV has the same
// (host/report/page/csv.js).
std::string csv_text(std::string_view text);

}  // namespace strata::exports

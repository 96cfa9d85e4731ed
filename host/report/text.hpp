// SPDX-License-Identifier: Apache-2.0
// Text from a stranger's program (names of layers, ops, plugins) made safe to lay out in columns.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strata::report {

// The text as valid UTF-8 without anything that moves a terminal's cursor, changes its colours or its writing
// direction, or takes no column: each such character, and each invalid byte, becomes U+FFFD.
std::string printable(std::string_view text);

// Columns that printable text takes: two for East Asian wide characters and emoji.
int columns(std::string_view printable_text);

// At most `width` columns of it, cut in the middle around an ellipsis.
std::string shortened(std::string_view text, int width);

// Exactly `width` columns of it: shortened, or padded on the right.
std::string fitted(std::string_view text, int width);

// Text of any length in lines of at most `width` columns, each behind `indent` blanks.
std::string wrapped(std::string_view text, int indent, int width);

// The first `limit` bytes at most, cut between characters and ended by an ellipsis where something is
// missing.
std::string clipped(std::string_view text, std::size_t limit);

}  // namespace strata::report

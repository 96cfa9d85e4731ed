// SPDX-License-Identifier: Apache-2.0
// Makes untrusted text (names of layers, ops, plugins) safe to show: in columns, in HTML.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace strata::report {

// The text as valid UTF-8 without characters that move the cursor, change colours or writing direction, or
// have no width: each of these, and each invalid byte, is replaced by U+FFFD.
std::string printable(std::string_view text);

// The same, escaped for HTML's text and attributes.
std::string html_text(std::string_view text);

// The width of printable text in columns: two for East Asian wide characters and emoji.
int columns(std::string_view printable_text);

// At most `width` columns of it, with an ellipsis in the middle.
std::string shortened(std::string_view text, int width);

// Exactly `width` columns: shortened, or padded on the right.
std::string fitted(std::string_view text, int width);

// Wraps text to lines of at most `width` columns, each indented by `indent` spaces.
std::string wrapped(std::string_view text, int indent, int width);

// At most the first `limit` bytes, cut between characters, with an ellipsis if something was cut.
std::string clipped(std::string_view text, std::size_t limit);

}  // namespace strata::report

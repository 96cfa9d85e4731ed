// SPDX-License-Identifier: Apache-2.0
// Converts texts of single values to typed values and back. Only the schema determines the type: `no` is a
// text where a text is expected, and `1e-3` a number where a number is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata::config {

// true, yes, on and their opposites, in lower case, UPPER CASE or Capitalised.
std::optional<bool> parse_flag(std::string_view text);

// Decimal, with an optional sign; empty if it does not fit into 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);

// Finite, decimal, with or without exponent.
std::optional<double> parse_real(std::string_view text);

struct Range {
  std::int64_t first, last;  // both inclusive
};

// "3-8", or "5" for 5-5; empty if the last is before the first or either is negative.
std::optional<Range> parse_range(std::string_view text);

// An integer, or a number followed by B, KiB, MiB, GiB or TiB, that gives whole bytes.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// The shortest text that parses to the same value. A real always contains a '.', so that every YAML reader
// treats it as a number; bytes use the largest unit that divides them.
std::string format_real(double value);
std::string format_bytes(std::int64_t bytes);

}  // namespace strata::config

// SPDX-License-Identifier: Apache-2.0
// Texts of single values to typed values and back. The schema decides what a text means, never its look:
// `no` is a text where a text is expected, and `1e-3` a number where a number is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace strata::config {

// true, yes, on and their opposites, in lower case, UPPER CASE or Capitalised.
std::optional<bool> parse_flag(std::string_view text);

// Decimal, with an optional sign; nothing when it does not fit 64 bits.
std::optional<std::int64_t> parse_integer(std::string_view text);

// Finite, decimal, with or without exponent.
std::optional<double> parse_real(std::string_view text);

struct Range {
  std::int64_t first, last;  // both included
};

// "3-8", or "5" for 5-5; nothing when the last is before the first or either is negative.
std::optional<Range> parse_range(std::string_view text);

// An integer, or a number with B, KiB, MiB, GiB or TiB behind it, that makes whole bytes.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// The shortest text that parses back to the same value. A real always has a '.', so that every YAML reader
// takes it for a number; bytes have the largest unit that divides them.
std::string format_real(double value);
std::string format_bytes(std::int64_t bytes);

}  // namespace strata::config

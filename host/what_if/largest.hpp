// SPDX-License-Identifier: Apache-2.0
// The largest value of a setting that fits into a device, found by trying few.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace strata::what_if {

// A value that was tried.
struct Trial {
  std::int64_t value = 0;
  bool fits = false;
  std::uint64_t needed_bytes = 0;  // of the device, at its fullest; of one that does not fit unknown, 0
};

// The values in question: multiples of `stride`, from the first at or above `lowest` to the last at or below
// `highest`. All three are at least 1.
struct Range {
  std::int64_t lowest = 1, highest = 1, stride = 1;
};

struct Largest {
  std::optional<Trial> largest;  // none: not even the lowest fits
  std::optional<std::int64_t>
      next;                  // the value behind it, which was tried and does not; none: it is the highest
  std::vector<Trial> tried;  // in this order
};

// Tries `start`, or the value of the range that is nearest to it, then others, until one fits and the next
// does not. Where memory grows with the value as a line does, four or five are tried; at most about three
// times the binary logarithm of the range's length, whatever it does. Where more can need less the answer is
// still a value that fits beside one that does not. `capacity_bytes` is the device's memory. Throws what
// `measure` throws, and std::invalid_argument when the range holds no value.
Largest find_largest(const Range& range, std::uint64_t capacity_bytes, std::int64_t start,
                     const std::function<Trial(std::int64_t)>& measure);

}  // namespace strata::what_if

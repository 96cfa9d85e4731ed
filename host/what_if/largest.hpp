// SPDX-License-Identifier: Apache-2.0
// Finds the largest value of a setting that fits into a device, or the fewest ranks of a job, with few
// trials.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace strata::what_if {

// A tried value.
struct Trial {
  std::int64_t value = 0;
  bool fits = false;
  std::uint64_t needed_bytes = 0;  // peak of the device; 0, unknown, if it does not fit
};

// The candidates: multiples of `stride`, from the first at or above `lowest` to the last at or below
// `highest`. All three are at least 1.
struct Range {
  std::int64_t lowest = 1, highest = 1, stride = 1;
};

struct Found {
  std::optional<Trial> best;  // the largest value, or the fewest ranks; empty: nothing fits
  std::optional<std::int64_t>
      next;                  // the next candidate, which was tried and does not fit; empty: there is none
  std::vector<Trial> tried;  // in this order
};

// Tries `start`, or the nearest value in the range, then others, until one fits and the next does not. If
// memory is linear in the value, four or five are tried; in any case at most about three times the binary
// logarithm of the range's length. If larger values can need less, the answer is still a value that fits next
// to one that does not. `capacity_bytes` is the device's memory. Throws the exceptions of `measure`, and
// std::invalid_argument if the range contains no value.
Found find_largest(const Range& range, std::uint64_t capacity_bytes, std::int64_t start,
                   const std::function<Trial(std::int64_t)>& measure);

// Bisects candidates in ascending order, of which larger ones need less memory. Throws the exceptions of
// `measure`, and std::invalid_argument if there are none.
Found find_fewest(const std::vector<std::int64_t>& candidates,
                  const std::function<Trial(std::int64_t)>& measure);

}  // namespace strata::what_if

// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cufft/fitted_sizes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace strata::dry_gpu::fitted {
namespace {

using Size = std::uint64_t;

constexpr Size kMost = std::numeric_limits<Size>::max();

Size times(Size a, Size b) {
  Size product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMost : product;
}

Size plus(Size a, Size b) {
  return a > kMost - b ? kMost : a + b;
}

// The length divided by all its prime factors up to `largest`: 1 if it has no others.
Size without_factors(Size length, Size largest) {
  for (Size factor = 2; factor <= largest; ++factor)
    while (length % factor == 0) length /= factor;
  return length;
}

// Documented: the best kernels are those for lengths of the factors 2, 3, 5 and 7; lengths with a prime
// factor above 127 are done by Bluestein's algorithm.
bool has_best_kernel(Size length) {
  return without_factors(length, 7) == 1;
}
bool is_bluestein(Size length) {
  return without_factors(length, 127) != 1;
}

// Bluestein's algorithm makes a transform a convolution of at least twice its length, less one: of the next
// length with no factors but 2, 3 and 5.
Size convolution_length(Size length) {
  const Size least = 2 * length - 1;
  Size best = kMost;
  for (Size fives = 1;; fives *= 5) {
    for (Size threes = fives;; threes *= 3) {
      Size all = threes;
      while (all < least) all *= 2;
      best = std::min(best, all);
      if (threes >= least) break;
    }
    if (fives >= least) return best;
  }
}

// The convolution goes from one buffer to another.
Size bluestein_values(Size length) {
  return 2 * convolution_length(length);
}

// `count` transforms of complex values, in complex values of work area.
Size complex_values(Size length, Size count, Size values_in_kernel) {
  if (is_bluestein(length)) return plus(times(bluestein_values(length), count), 128);
  return length > values_in_kernel ? times(length, count) : 0;
}

// With real values on one side. An even length is a complex transform of half of it, with a pass before or
// after; an odd one is a complex transform.
Size real_values(Size length, Size count, Size values_in_kernel) {
  const Size half = length / 2;
  const bool is_even = length % 2 == 0;
  if (is_bluestein(length)) {
    if (is_even) return plus(times(bluestein_values(half) + half, count), 128);
    return plus(times(bluestein_values(length) + length, count / 2 + count % 2), 192);  // two at once
  }
  if ((is_even ? half : length) > values_in_kernel) return times(is_even ? half + 1 : length, count);
  if (has_best_kernel(length) || length <= 127) return 0;
  if (!is_even) return times(length, count);
  return times(half % 2 == 0 ? half + 1 : half, count);
}

}  // namespace

std::uint64_t work_area_bytes(const Transform& transform, std::uint64_t shared_bytes) {
  // No dimension has more values than a device has bytes.
  constexpr long long kLongest = 1LL << 40;
  const Size values_in_kernel = shared_bytes / transform.complex_bytes;
  const std::size_t innermost = transform.lengths.size() - 1;
  const auto length_of = [&](std::size_t dimension) {
    return static_cast<Size>(std::min(transform.lengths[dimension], kLongest));
  };
  // The length of contiguous complex values: half of the innermost dimension if one side is real.
  const auto complex_length_of = [&](std::size_t dimension) {
    const Size length = length_of(dimension);
    return transform.is_real && dimension == innermost ? length / 2 + 1 : length;
  };
  Size most = 0;  // dimensions go one after the other
  for (std::size_t dimension = 0; dimension <= innermost; ++dimension) {
    Size count = static_cast<Size>(transform.batch);
    for (std::size_t other = 0; other <= innermost; ++other)
      if (other != dimension) count = times(count, complex_length_of(other));
    const bool is_real = transform.is_real && dimension == innermost;
    const Size length = length_of(dimension);
    most = std::max(most, is_real ? real_values(length, count, values_in_kernel)
                                  : complex_values(length, count, values_in_kernel));
  }
  return times(most, transform.complex_bytes);
}

}  // namespace strata::dry_gpu::fitted

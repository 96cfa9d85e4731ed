// SPDX-License-Identifier: Apache-2.0
// Reproducible numbers by position instead of by turn: the n-th draw needs none of those before it, so a
// resumed or divided run draws what a whole one would.
#pragma once

#include <cstdint>

namespace strata::trainer {

// The output function of SplitMix64 (Steele, Lea, Flood 2014): every bit of the result depends on every bit
// of `value`.
constexpr std::uint64_t mix_bits(std::uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// Draw number `position` of the stream that `seed` names.
constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t position) {
  return mix_bits(mix_bits(seed) ^ position);
}

}  // namespace strata::trainer

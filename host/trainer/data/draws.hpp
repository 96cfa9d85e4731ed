// SPDX-License-Identifier: Apache-2.0
// Reproducible numbers by position instead of by turn: the n-th draw needs none of those before it, so a
// resumed or divided run draws what a whole one would.
#pragma once

#include <cstdint>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// The hash that fills weights and tokens where two programs must agree: 32-bit arithmetic only. Number
// `element` of the series `series`, uniform over 32 bits.
constexpr std::uint32_t integer_hash(std::uint32_t element, std::uint32_t series) {
  std::uint32_t x = element * 2654435761u + ((series + 1) * 40503u + 12345u);
  x = (x ^ (x >> 16)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}

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

// Which of a source's samples the run's sample of a given number is.
class SampleOrder {
 public:
  // Of `samples`, at least one. kRandom: each is drawn from all, by `seed`, so that one may come twice before
  // another comes once. kSequential: one after the other, and again from the first.
  SampleOrder(config::DataOrder order, std::uint64_t samples, std::uint64_t seed)
      : order_(order), samples_(samples), seed_(seed) {}

  std::uint64_t sample(std::uint64_t number) const {
    return (order_ == config::DataOrder::kSequential ? number : draw(seed_, number)) % samples_;
  }

 private:
  config::DataOrder order_;
  std::uint64_t samples_;
  std::uint64_t seed_;
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers by position: the n-th draw does not depend on earlier ones, so a resumed or
// divided run draws the same numbers as a complete one.
#pragma once

#include <cstdint>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// The hash that fills weights and tokens if two programs must agree: 32-bit arithmetic only. Number `element`
// of the series `series`, uniform over 32 bits.
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

// Draw number `position` of the stream identified by `seed`.
constexpr std::uint64_t draw(std::uint64_t seed, std::uint64_t position) {
  return mix_bits(mix_bits(seed) ^ position);
}

// Maps the run's sample numbers to a source's samples.
class SampleOrder {
 public:
  // For `samples`, at least one. kRandom: each is drawn from all, by `seed`, so one may repeat before another
  // has appeared. kSequential: in order, starting over at the end.
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

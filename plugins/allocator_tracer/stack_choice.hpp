// SPDX-License-Identifier: Apache-2.0
// Chooses the allocations that get a stack: all from a given size on, and smaller ones with a probability
// that grows with their bytes, as in sampling heap profilers.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace strata::allocator_tracer {

class StackChoice {
 public:
  // In MiB; with a negative `above_mib` and a `sample_mib` of 0 no allocation is chosen.
  StackChoice(double above_mib, double sample_mib)
      : above_bytes_(above_mib < 0 ? HUGE_VAL : above_mib * kMebibyte),
        sample_bytes_(sample_mib * kMebibyte) {}

  bool chooses_any() const { return above_bytes_ != HUGE_VAL || sample_bytes_ > 0; }

  // [any] [alloc-lock] The probability with which an allocation of this size was chosen, if it was. It is the
  // probability that a Poisson process over bytes hits the allocation at least once. So bytes / probability,
  // summed over the chosen ones, is an unbiased estimate of all bytes, with a standard error of at most
  // sqrt(sample_bytes * all bytes).
  //
  // The draw depends only on the event's sequence: threads share no state, and two runs with the same event
  // numbers choose the same allocations.
  std::optional<double> chance_if_chosen(std::uint64_t sequence, std::uint64_t bytes) const {
    const auto size = static_cast<double>(bytes);
    if (size >= above_bytes_) return 1.0;
    if (sample_bytes_ <= 0) return std::nullopt;
    const double chance = -std::expm1(-size / sample_bytes_);
    if (draw(sequence) < chance) return chance;
    return std::nullopt;
  }

 private:
  static constexpr double kMebibyte = 1 << 20;

  // In [0, 1): the finaliser of SplitMix64 (Steele, Lea and Flood, 2014), whose stream the sequence walks.
  static double draw(std::uint64_t sequence) {
    std::uint64_t bits = (sequence + 1) * 0x9E3779B97F4A7C15u;
    bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }

  double above_bytes_, sample_bytes_;
};

}  // namespace strata::allocator_tracer

// SPDX-License-Identifier: Apache-2.0
// The number and total duration of each operator's calls, summed over all threads without a lock.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace strata::warmup_analyzer {

class OperatorSums {
 public:
  struct Sum {
    std::atomic<std::uint32_t> name{0};  // the run store's id; 0: unused
    std::atomic<bool> begun{false};
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::int64_t> self_ns{0};
    std::uint64_t written_calls = 0;  // [loop-thread]
    std::int64_t written_ns = 0;
  };

  // [any] The sum of that operator; null for an unnamed one, and once a thousand others are known.
  Sum* of(std::uint32_t name) noexcept {
    if (name == 0) return nullptr;
    std::size_t place = name * std::size_t{2654435761} % kPlaces;
    for (std::size_t tries = 0; tries < kTries; ++tries, place = (place + 1) % kPlaces) {
      Sum& sum = sums_[place];
      std::uint32_t found = sum.name.load(std::memory_order_relaxed);
      if (found == name) return &sum;
      if (found == 0 &&
          (sum.name.compare_exchange_strong(found, name, std::memory_order_relaxed) || found == name))
        return &sum;
    }
    return nullptr;
  }

  auto begin() noexcept { return sums_.begin(); }
  auto end() noexcept { return sums_.end(); }

 private:
  static constexpr std::size_t kPlaces = 2048, kTries = 16;
  std::array<Sum, kPlaces> sums_{};
};

}  // namespace strata::warmup_analyzer

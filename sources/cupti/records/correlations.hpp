// SPDX-License-Identifier: Apache-2.0
// The origin of each CUDA call, by its CUPTI correlation number; keeps the newest kSlots calls.
//
// For one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sources/cupti/records/origins.hpp"

namespace strata::cupti {

struct Call {
  std::uint32_t correlation = 0;  // 0: unknown
  std::uint32_t thread = 0;
  Origin origin{};
  bool is_over = false;        // its own record was read: no more can be learnt about it
  bool is_of_runtime = false;  // a driver call with this number is part of it
  bool launches = false;
  bool is_answered = false;  // the record of its work was read
};

class Correlations {
 public:
  static constexpr std::uint32_t kSlots = 1u << 16;

  Correlations() : calls_(std::make_unique<std::array<Call, kSlots>>()) {}

  // Returns the entry of the call, replacing another call's entry if necessary.
  Call& of(std::uint32_t correlation) {
    Call& call = (*calls_)[correlation % kSlots];
    if (call.correlation != correlation) call = {.correlation = correlation};
    return call;
  }
  // Null if unknown.
  const Call* find(std::uint64_t correlation) const {
    const Call& call = (*calls_)[correlation % kSlots];
    return correlation != 0 && call.correlation == correlation ? &call : nullptr;
  }

 private:
  std::unique_ptr<std::array<Call, kSlots>> calls_;
};

}  // namespace strata::cupti

// SPDX-License-Identifier: Apache-2.0
// What each call of CUDA was made under, by the number that CUPTI gave it; the newest kSlots calls.
//
// For one thread.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "sources/cupti/records/origins.hpp"

namespace strata::cupti {

struct Call {
  std::uint32_t correlation = 0;  // 0: nothing is known
  std::uint32_t thread = 0;
  Origin origin{};
  bool is_over = false;        // its own record was met: nothing more is to be learnt of it
  bool is_of_runtime = false;  // a call of the driver with this number is a part of it
  bool launches = false;
  bool is_answered = false;  // what it launched was met
};

class Correlations {
 public:
  static constexpr std::uint32_t kSlots = 1u << 16;

  Correlations() : calls_(std::make_unique<std::array<Call, kSlots>>()) {}

  // The call's, made anew when its place was another's.
  Call& of(std::uint32_t correlation) {
    Call& call = (*calls_)[correlation % kSlots];
    if (call.correlation != correlation) call = {.correlation = correlation};
    return call;
  }
  // Null: not known.
  const Call* find(std::uint64_t correlation) const {
    const Call& call = (*calls_)[correlation % kSlots];
    return correlation != 0 && call.correlation == correlation ? &call : nullptr;
  }

 private:
  std::unique_ptr<std::array<Call, kSlots>> calls_;
};

}  // namespace strata::cupti

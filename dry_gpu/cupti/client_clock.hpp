// SPDX-License-Identifier: Apache-2.0
// The clock requested by a client for its records: its own function, in any unit, or CUPTI's own, nanoseconds
// since 1970.
#pragma once

#include <cstdint>

#include "dry_gpu/cupti/cupti_api.hpp"

namespace strata::dry_gpu {

class ClientClock {
 public:
  // Null: CUPTI's own. Starts over.
  void use(CUpti_TimestampCallbackFunc function);
  std::uint64_t now() const;

  // Samples both clocks: times between two such points are interpolated.
  void begin();
  void go_on();
  // From CLOCK_MONOTONIC.
  std::uint64_t from_monotonic(std::uint64_t ns) const;

 private:
  struct Both {
    std::int64_t monotonic_ns = 0;
    std::uint64_t client = 0;
  };
  Both read() const;

  CUpti_TimestampCallbackFunc function_ = nullptr;
  Both first_, last_;
};

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// Converts CUPTI's clock (nanoseconds since 1970 unless a client has set another one) to CLOCK_MONOTONIC.
//
// At certain points both clocks are read, one of them between two readings of the other. Times between two
// points are interpolated, because CLOCK_REALTIME may be set or slewed meanwhile.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace strata::cupti {

struct ClockPoint {
  std::int64_t monotonic_ns = 0;
  std::int64_t cupti_ns = 0;
  std::int64_t uncertainty_ns = 0;    // half the time between the two readings around it
  std::int64_t from_realtime_ns = 0;  // offset of CUPTI's clock from CLOCK_REALTIME
};

class ClockMap {
 public:
  // CUPTI's clock, in nanoseconds. Empty if it cannot be read.
  using Read = std::function<std::optional<std::uint64_t>()>;

  // Reads both clocks. Returns why CUPTI's times cannot be converted to the run's clock, or an empty text.
  std::string begin(const Read& read);
  // [any] Adds another point.
  void add(const Read& read);
  // [any] Outside of the points the clocks are assumed to run at the same rate.
  std::int64_t to_monotonic(std::uint64_t cupti_ns) const;

  // The largest uncertainty of a point, plus how far the clocks have drifted apart since the first.
  std::int64_t uncertainty_ns() const;
  std::int64_t drift_ns() const;

 private:
  mutable std::mutex mutex_;
  std::vector<ClockPoint> points_;
};

}  // namespace strata::cupti

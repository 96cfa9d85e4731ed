// SPDX-License-Identifier: Apache-2.0
// From CUPTI's clock, nanoseconds since 1970 unless some client has set another one, to CLOCK_MONOTONIC.
//
// At points in time both are read, one between two readings of the other; what lies between two points is
// interpolated, since CLOCK_REALTIME may be set or slewed meanwhile.
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
  std::int64_t uncertainty_ns = 0;    // half of what lay between the two readings around it
  std::int64_t from_realtime_ns = 0;  // how far CUPTI's clock was from CLOCK_REALTIME
};

class ClockMap {
 public:
  // CUPTI's clock, in nanoseconds. Nothing: it cannot be read.
  using Read = std::function<std::optional<std::uint64_t>()>;

  // Reads both. Empty, or why CUPTI's times cannot be told in the run's clock.
  std::string begin(const Read& read);
  // [any] One more point.
  void add(const Read& read);
  // [any] Clocks are taken to run alike outside of the points.
  std::int64_t to_monotonic(std::uint64_t cupti_ns) const;

  // The worst point's, and by how much the clocks have moved against each other since the first.
  std::int64_t uncertainty_ns() const;
  std::int64_t drift_ns() const;

 private:
  mutable std::mutex mutex_;
  std::vector<ClockPoint> points_;
};

}  // namespace strata::cupti

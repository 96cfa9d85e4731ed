// SPDX-License-Identifier: Apache-2.0
// The clock of a run: CLOCK_MONOTONIC in nanoseconds, related to CLOCK_REALTIME by pairs of samples.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

namespace strata {

std::int64_t monotonic_ns() noexcept;

// The same moment on both clocks.
struct ClockSample {
  std::int64_t monotonic_ns = 0;
  std::int64_t realtime_ns = 0;
};

// Takes several readings and returns the one whose two clocks were read closest together.
ClockSample sample_clocks() noexcept;

// The pairs sampled so far. Safe from any thread.
class ClockSamples {
 public:
  // Starts with one sample.
  ClockSamples();
  // Takes another sample and returns it.
  ClockSample add();
  // Nanoseconds since 1970, using the sample nearest to `monotonic_ns`, because CLOCK_REALTIME may have been
  // set since.
  std::int64_t to_realtime_ns(std::int64_t monotonic_ns) const;

 private:
  mutable std::mutex mutex_;
  std::vector<ClockSample> samples_;  // sorted by monotonic_ns
};

}  // namespace strata

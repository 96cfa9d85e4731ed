// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/clock.hpp"

#include <algorithm>
#include <ctime>
#include <limits>

namespace strata {
namespace {

std::int64_t read_ns(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

std::int64_t monotonic_ns() noexcept {
  return read_ns(CLOCK_MONOTONIC);
}

ClockSample sample_clocks() noexcept {
  constexpr int kReadings = 8;
  ClockSample best;
  std::int64_t best_width_ns = std::numeric_limits<std::int64_t>::max();
  for (int reading = 0; reading < kReadings; ++reading) {
    const std::int64_t before_ns = monotonic_ns();
    const std::int64_t realtime_ns = read_ns(CLOCK_REALTIME);
    const std::int64_t width_ns = monotonic_ns() - before_ns;
    if (width_ns < best_width_ns) {
      best_width_ns = width_ns;
      best = {before_ns + width_ns / 2, realtime_ns};
    }
  }
  return best;
}

ClockSamples::ClockSamples() : samples_{sample_clocks()} {}

ClockSample ClockSamples::add() {
  const std::lock_guard lock(mutex_);
  return samples_.emplace_back(sample_clocks());
}

std::int64_t ClockSamples::to_realtime_ns(std::int64_t monotonic_ns) const {
  const std::lock_guard lock(mutex_);
  auto nearest = std::lower_bound(
      samples_.begin(), samples_.end(), monotonic_ns,
      [](const ClockSample& sample, std::int64_t moment) { return sample.monotonic_ns < moment; });
  if (nearest == samples_.end() ||
      (nearest != samples_.begin() &&
       monotonic_ns - std::prev(nearest)->monotonic_ns < nearest->monotonic_ns - monotonic_ns)) {
    --nearest;
  }
  return nearest->realtime_ns + (monotonic_ns - nearest->monotonic_ns);
}

}  // namespace strata

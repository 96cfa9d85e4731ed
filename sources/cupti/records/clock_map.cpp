// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/clock_map.hpp"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <optional>

namespace strata::cupti {
namespace {

// Another clock is never this close: CUPTI's own agrees to a few microseconds.
constexpr std::int64_t kFarFromRealtimeNs = 10'000'000;
constexpr int kReadings = 16;
constexpr std::size_t kMostPoints = 4096;

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A thread may be interrupted between two clocks: the closest of some readings.
std::optional<ClockPoint> read_point(const ClockMap::Read& read) {
  std::optional<ClockPoint> best;
  std::int64_t least_ns = std::numeric_limits<std::int64_t>::max();
  for (int reading = 0; reading < kReadings; ++reading) {
    const std::int64_t before_ns = read_ns(CLOCK_MONOTONIC);
    const std::optional<std::uint64_t> cupti_ns = read();
    if (!cupti_ns) return std::nullopt;
    const std::int64_t between_ns = read_ns(CLOCK_MONOTONIC) - before_ns;
    if (between_ns >= least_ns) continue;
    least_ns = between_ns;
    best = {before_ns + between_ns / 2, static_cast<std::int64_t>(*cupti_ns), between_ns / 2,
            static_cast<std::int64_t>(*cupti_ns) - read_ns(CLOCK_REALTIME)};
  }
  return best;
}

}  // namespace

std::string ClockMap::begin(const Read& read) {
  const std::optional<ClockPoint> point = read_point(read);
  if (!point) return "CUPTI does not report its time";
  if (std::abs(point->from_realtime_ns) > kFarFromRealtimeNs) {
    return "CUPTI's records are not in CLOCK_REALTIME: another profiler in this process, such as "
           "torch.profiler, has set its own clock. Remove it from this run";
  }
  const std::scoped_lock lock(mutex_);
  points_ = {*point};
  return {};
}

void ClockMap::add(const Read& read) {
  const std::optional<ClockPoint> point = read_point(read);
  if (!point) return;
  const std::scoped_lock lock(mutex_);
  if (points_.size() == kMostPoints) points_.erase(points_.begin() + 1);
  points_.push_back(*point);
}

std::int64_t ClockMap::to_monotonic(std::uint64_t cupti_ns) const {
  const auto moment = static_cast<std::int64_t>(cupti_ns);
  const std::scoped_lock lock(mutex_);
  if (points_.empty()) return moment;
  // Mostly it lies between the last two.
  std::size_t after = points_.size();
  while (after > 0 && points_[after - 1].cupti_ns > moment) --after;
  if (after == 0) return points_.front().monotonic_ns + (moment - points_.front().cupti_ns);
  const ClockPoint& from = points_[after - 1];
  if (after == points_.size()) return from.monotonic_ns + (moment - from.cupti_ns);
  const ClockPoint& to = points_[after];
  const double rate = static_cast<double>(to.monotonic_ns - from.monotonic_ns) /
                      static_cast<double>(to.cupti_ns - from.cupti_ns);
  return from.monotonic_ns + static_cast<std::int64_t>(static_cast<double>(moment - from.cupti_ns) * rate);
}

std::int64_t ClockMap::uncertainty_ns() const {
  const std::scoped_lock lock(mutex_);
  std::int64_t worst = 0;
  for (const ClockPoint& point : points_) worst = std::max(worst, point.uncertainty_ns);
  return worst;
}

std::int64_t ClockMap::drift_ns() const {
  const std::scoped_lock lock(mutex_);
  if (points_.empty()) return 0;
  const auto offset = [](const ClockPoint& point) { return point.cupti_ns - point.monotonic_ns; };
  return offset(points_.back()) - offset(points_.front());
}

}  // namespace strata::cupti

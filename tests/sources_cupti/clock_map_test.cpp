// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/clock_map.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace strata::cupti {
namespace {

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// CUPTI's clock, at the given distance from CLOCK_REALTIME.
ClockMap::Read clock_at(std::int64_t offset_ns) {
  return [offset_ns] { return static_cast<std::uint64_t>(read_ns(CLOCK_REALTIME) + offset_ns); };
}

constexpr std::int64_t kNear = 200'000;  // on a busy machine, a thread waits between two readings

TEST(ClockMap, TellsCuptisTimeInTheRunsClock) {
  ClockMap clock;
  ASSERT_EQ(clock.begin(clock_at(0)), "");
  const std::int64_t realtime_ns = read_ns(CLOCK_REALTIME);
  const std::int64_t monotonic_ns = read_ns(CLOCK_MONOTONIC);
  EXPECT_LT(std::abs(clock.to_monotonic(static_cast<std::uint64_t>(realtime_ns)) - monotonic_ns), kNear);
  EXPECT_EQ(clock.to_monotonic(static_cast<std::uint64_t>(realtime_ns) + 5000) -
                clock.to_monotonic(static_cast<std::uint64_t>(realtime_ns)),
            5000);
}

// As if CLOCK_REALTIME had been adjusted by 2 ms between two points.
TEST(ClockMap, BetweenTwoPointsItGoesFromOneToTheOther) {
  ClockMap clock;
  ASSERT_EQ(clock.begin(clock_at(0)), "");
  const std::int64_t first_ns = read_ns(CLOCK_REALTIME);
  clock.add(clock_at(2'000'000));
  EXPECT_NEAR(static_cast<double>(clock.drift_ns()), 2e6, kNear);
  const std::int64_t end_ns = read_ns(CLOCK_REALTIME) + 2'000'000;
  const std::int64_t monotonic_ns = read_ns(CLOCK_MONOTONIC);
  EXPECT_LT(std::abs(clock.to_monotonic(static_cast<std::uint64_t>(end_ns)) - monotonic_ns), kNear);
  // Times in between keep their order.
  std::int64_t last = clock.to_monotonic(static_cast<std::uint64_t>(first_ns));
  for (std::int64_t at = first_ns; at <= end_ns; at += 10'000) {
    const std::int64_t now = clock.to_monotonic(static_cast<std::uint64_t>(at));
    EXPECT_GE(now, last);
    last = now;
  }
}

TEST(ClockMap, AnotherClockIsRefused) {
  ClockMap clock;
  EXPECT_NE(clock.begin(clock_at(1'000'000'000)).find("CLOCK_REALTIME"), std::string::npos);
  const ClockMap::Read ticks = [] { return std::uint64_t{12345}; };
  EXPECT_NE(clock.begin(ticks).find("CLOCK_REALTIME"), std::string::npos);
  EXPECT_NE(clock.begin([] { return std::nullopt; }), "");
}

}  // namespace
}  // namespace strata::cupti

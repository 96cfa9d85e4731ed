// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/clock.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

namespace strata {
namespace {

TEST(ClockTest, NeverGoesBack) {
  std::int64_t last_ns = monotonic_ns();
  for (int reading = 0; reading < 1000; ++reading) {
    const std::int64_t now_ns = monotonic_ns();
    ASSERT_GE(now_ns, last_ns);
    last_ns = now_ns;
  }
}

TEST(ClockTest, TiesAMomentToTheCalendar) {
  ClockSamples samples;
  const ClockSample sample = samples.add();
  EXPECT_EQ(samples.to_realtime_ns(sample.monotonic_ns), sample.realtime_ns);
  EXPECT_EQ(samples.to_realtime_ns(sample.monotonic_ns + 5), sample.realtime_ns + 5);
  const std::int64_t now_ns = std::chrono::duration_cast<std::chrono::nanoseconds>(
                                  std::chrono::system_clock::now().time_since_epoch())
                                  .count();
  EXPECT_LT(std::abs(samples.to_realtime_ns(monotonic_ns()) - now_ns), 1'000'000'000);
}

TEST(ClockTest, AnswersForMomentsBeforeAndAfterAllSamples) {
  const ClockSamples samples;
  const std::int64_t begin = samples.to_realtime_ns(0);
  EXPECT_EQ(samples.to_realtime_ns(1'000) - begin, 1'000);
  EXPECT_EQ(samples.to_realtime_ns(std::int64_t{1} << 60) - begin, std::int64_t{1} << 60);
}

}  // namespace
}  // namespace strata

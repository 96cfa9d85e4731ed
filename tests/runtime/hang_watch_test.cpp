// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/events/hang_watch.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "host/runtime/clock.hpp"
#include "host/runtime/events/thread_state.hpp"

namespace strata {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

class HangWatchTest : public testing::Test {
 protected:
  HangWatchTest() : listeners_(2), watch_(listeners_, std::chrono::seconds(5)) {
    listeners_[1].id = "sleeper";
    this_thread()->thread = 77;
  }
  ~HangWatchTest() override { this_thread()->events_in_flight = 0; }

  static void be_inside(std::uint64_t sequence) {
    this_thread()->events_in_flight = 1;
    this_thread()->event = sequence;
    this_thread()->listener = 1;
  }
  static void be_outside() { this_thread()->events_in_flight = 0; }

  std::string look(std::int64_t second) {
    testing::internal::CaptureStderr();
    watch_.look(second * kSecond);
    return testing::internal::GetCapturedStderr();
  }

  std::vector<ListenerSet> listeners_;
  HangWatch watch_;
};

TEST_F(HangWatchTest, NamesThePluginAndTheThreadOnce) {
  be_inside(12);
  EXPECT_EQ(look(100), "");
  EXPECT_EQ(look(104), "");
  const std::string said = look(105);
  EXPECT_NE(said.find("[sleeper] has not returned from an event for 5 s, and thread 77"), std::string::npos)
      << said;
  EXPECT_EQ(look(106), "");
}

TEST_F(HangWatchTest, SaysThatItReturned) {
  be_inside(12);
  look(0);
  look(6);
  be_outside();
  EXPECT_NE(look(9).find("[sleeper] returned from its event after 9 s, on thread 77"), std::string::npos);
  EXPECT_EQ(look(20), "");
}

TEST_F(HangWatchTest, IsSilentWhereEventsComeAndGo) {
  for (std::int64_t second = 0; second < 20; ++second) {
    be_inside(static_cast<std::uint64_t>(second));
    EXPECT_EQ(look(second), "");
  }
}

TEST_F(HangWatchTest, NamesAPluginThatIsBeingMadeOrDestroyed) {
  const std::int64_t second = monotonic_ns() / kSecond + 1;
  {
    const HangWatch::Call call(watch_, "sleeper", "create");
    EXPECT_EQ(look(second + 2), "");
    EXPECT_NE(look(second + 6).find("[sleeper] has not returned from create for"), std::string::npos);
    EXPECT_EQ(look(second + 9), "");
    testing::internal::CaptureStderr();
  }
  EXPECT_NE(testing::internal::GetCapturedStderr().find("[sleeper] returned from create after"),
            std::string::npos);
  const HangWatch::Call call(watch_, "sleeper", "destroy");
  EXPECT_EQ(look(second + 2), "");
}

TEST_F(HangWatchTest, CountsAnewForTheNextCall) {
  be_inside(1);
  look(0);
  look(6);
  be_inside(2);
  EXPECT_NE(look(7).find("returned"), std::string::npos);
  EXPECT_EQ(look(11), "");
  EXPECT_NE(look(12).find("has not returned from an event for 5 s"), std::string::npos);
}

}  // namespace
}  // namespace strata

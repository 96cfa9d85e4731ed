// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/interrupt.hpp"

#include <gtest/gtest.h>
#include <signal.h>

namespace strata::test {
namespace {

using cli::InterruptGuard;

TEST(Interrupt, TheFirstSignalIsOnlyNoted) {
  const InterruptGuard guard;
  EXPECT_EQ(InterruptGuard::signal().load(), 0);
  raise(SIGTERM);
  EXPECT_EQ(InterruptGuard::signal().load(), SIGTERM);
}

TEST(Interrupt, ANewGuardStartsUnsignalled) {
  {
    const InterruptGuard guard;
    raise(SIGINT);
  }
  const InterruptGuard guard;
  EXPECT_EQ(InterruptGuard::signal().load(), 0);
}

TEST(InterruptDeathTest, TheProcessDiesOfTheSecond) {
  const auto twice = [](int first, int second) {
    const InterruptGuard guard;
    raise(first);
    raise(second);
  };
  EXPECT_EXIT(twice(SIGINT, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(twice(SIGINT, SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

TEST(InterruptDeathTest, WithoutAGuardSignalsActAsBefore) {
  { const InterruptGuard guard; }
  EXPECT_EXIT(raise(SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace strata::test

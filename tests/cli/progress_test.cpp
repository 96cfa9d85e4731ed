// SPDX-License-Identifier: Apache-2.0
#include "host/cli/training/progress.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace strata::test {
namespace {

using trainer::Progress;

TEST(Progress, SaysStepLossRateAndMemory) {
  const Progress progress{.step = 3, .steps = 10, .loss = 3.21406, .tokens = 4096, .step_ns = 500'000'000};
  EXPECT_EQ(cli::progress_text(progress, std::uint64_t{312} << 20),
            "step 3/10  loss 3.2141  8.2k tokens/s  312 MiB resident");
}

TEST(Progress, RatesFitTheirUnit) {
  const auto rate = [](std::uint64_t tokens, std::int64_t step_ns) {
    return cli::progress_text({.step = 1, .steps = 1, .loss = 0, .tokens = tokens, .step_ns = step_ns}, 0);
  };
  EXPECT_EQ(rate(512, 1'000'000'000), "step 1/1  loss 0.0000  512 tokens/s  0 MiB resident");
  EXPECT_EQ(rate(2'500'000, 1'000'000'000), "step 1/1  loss 0.0000  2.5M tokens/s  0 MiB resident");
  EXPECT_EQ(rate(512, 0), "step 1/1  loss 0.0000  0 tokens/s  0 MiB resident");
}

TEST(Progress, TheBarFillsFromTheLeft) {
  EXPECT_EQ(cli::progress_bar(0, 4, 8), "[........]");
  EXPECT_EQ(cli::progress_bar(1, 4, 8), "[##......]");
  EXPECT_EQ(cli::progress_bar(4, 4, 8), "[########]");
  EXPECT_EQ(cli::progress_bar(9, 4, 8), "[########]");
  EXPECT_EQ(cli::progress_bar(0, 0, 8), "[########]");
}

TEST(Progress, ThisProcessHasMemory) {
  EXPECT_GT(cli::resident_bytes(), std::uint64_t{1} << 20);
}

TEST(Progress, LeavesOutALossThatNobodyKnows) {
  EXPECT_EQ(
      cli::progress_text({.step = 1, .steps = 4, .loss = {}, .tokens = 500, .step_ns = 500'000'000}, 1 << 20),
      "step 1/4  1 MiB resident");
}

TEST(ProgressDisplay, PlainLinesAreFewAndHoldTheFirstAndTheLast) {
  testing::internal::CaptureStderr();
  {
    cli::ProgressDisplay display(false);
    for (std::uint64_t step = 1; step <= 1000; ++step)
      display.show({.step = step, .steps = 1000, .loss = {}, .step_ns = 1});
  }
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_TRUE(shown.starts_with("step 1/1000 ")) << shown;
  EXPECT_NE(shown.find("\nstep 1000/1000 "), std::string::npos) << shown;
  EXPECT_EQ(std::ranges::count(shown, '\n'), 2) << shown;
}

TEST(ProgressDisplay, ATerminalKeepsOneLine) {
  testing::internal::CaptureStderr();
  {
    cli::ProgressDisplay display(true);
    for (std::uint64_t step = 1; step <= 1000; ++step)
      display.show({.step = step, .steps = 1000, .loss = {}, .step_ns = 1});
  }
  const std::string shown = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::ranges::count(shown, '\n'), 1) << shown;
  EXPECT_TRUE(shown.ends_with('\n'));
  EXPECT_NE(shown.find("\r\x1b[K[########################] step 1000/1000 "), std::string::npos) << shown;
}

}  // namespace
}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// Kernels by readable name.
#include <gtest/gtest.h>

#include "strata/ext/activity.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::TimedRun;

TEST(KernelTimes, AreOfReadableNames) {
  TimedRun run;
  run.step(0, 0, 10'000);
  const char* const mangled = "_ZN2at6native29vectorized_elementwise_kernelILi4EfEEviT0_";
  const auto op = run.op("aten::add", {.begin_ns = 0, .end_ns = 50});
  run.device(STRATA_ACTIVITY_KERNEL, 100, 200, 0, mangled).op = op;
  run.device(STRATA_ACTIVITY_KERNEL, 300, 600, 0, mangled).op = op;
  run.device(STRATA_ACTIVITY_KERNEL, 700, 710, 0, "ampere_sgemm_128x64_nn");
  const TimeFacts facts = run.facts();
  ASSERT_EQ(facts.kernels.size(), 2u);
  const KernelTime& first = facts.kernels[0];
  EXPECT_EQ(first.name, "at::native::vectorized_elementwise_kernel<...>");
  EXPECT_EQ(first.full_name, "void at::native::vectorized_elementwise_kernel<4, float>(int, float)");
  EXPECT_EQ(first.count, 2u);
  EXPECT_EQ(first.total_ns, 400);
  EXPECT_EQ(first.shortest_ns, 100);
  EXPECT_EQ(first.longest_ns, 300);
  EXPECT_EQ(first.op, facts.ops.at(0).name);
  EXPECT_EQ(facts.kernels[1].name, "ampere_sgemm_128x64_nn");
  EXPECT_EQ(facts.kernels[1].op, 0u);
}

// Names as a dry device's clock gives them to library calls.
TEST(KernelTimes, OfLibrariesKeepTheirSpaces) {
  TimedRun run;
  run.step(0, 0, 10'000);
  run.device(STRATA_ACTIVITY_KERNEL, 100, 200, 0, "cublasSgemm_v2 fp32 nt 10000x768x2048");
  run.device(STRATA_ACTIVITY_KERNEL, 300, 350, 0, "cublasSgemm_v2 fp32 nn 10000x768x2048");
  const TimeFacts facts = run.facts();
  ASSERT_EQ(facts.kernels.size(), 2u);
  EXPECT_EQ(facts.kernels[0].name, "cublasSgemm_v2 fp32 nt 10000x768x2048");
  EXPECT_EQ(facts.kernels[1].name, "cublasSgemm_v2 fp32 nn 10000x768x2048");
}

TEST(KernelTimes, OfCopiesAreByDirection) {
  TimedRun run;
  run.step(0, 0, 10'000);
  for (const std::uint32_t detail :
       {STRATA_COPY_HOST_TO_DEVICE, STRATA_COPY_HOST_TO_DEVICE, STRATA_COPY_DEVICE_TO_HOST,
        STRATA_COPY_HOST_TO_DEVICE | STRATA_COPY_PAGEABLE}) {
    ActivityRow& copy = run.device(STRATA_ACTIVITY_COPY, 100, 200);
    copy.detail = detail;
    copy.bytes = 1000;
  }
  run.device(STRATA_ACTIVITY_SET, 300, 310).bytes = 7;
  const TimeFacts facts = run.facts();
  ASSERT_EQ(facts.kernels.size(), 4u);
  EXPECT_EQ(facts.kernels[0].name, "Memcpy HtoD");
  EXPECT_EQ(facts.kernels[0].count, 2u);
  EXPECT_EQ(facts.kernels[0].bytes, 2000u);
  EXPECT_NE(testing::find_row(facts.kernels, &KernelTime::name, std::string("Memcpy HtoD (pageable)")),
            nullptr);
  EXPECT_EQ(facts.kernels.back().name, "Memset");
}

}  // namespace
}  // namespace strata::analysis

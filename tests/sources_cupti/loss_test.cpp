// SPDX-License-Identifier: Apache-2.0
// Possible losses of records, and their counts.
#include <cupti.h>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

class CuptiLoss : public CuptiSession {
 protected:
  using Rows = std::vector<std::string>;
};

TEST_F(CuptiLoss, WhatCuptiDroppedIsCounted) {
  run([&](Session&) {
    fake_.launch("kernel", 10);
    fake_.dropped = 17;
  });
  EXPECT_EQ(captures("kernels, dropped"), (Rows{"1|17"}));
}

TEST_F(CuptiLoss, AKernelWithoutTimesIsLeftOutAndCounted) {
  run([&](Session&) { fake_.launch("untimed", -1); });
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 0u);
  EXPECT_EQ(captures("kernels, without_times, launches, answered_launches"), (Rows{"1|1|1|1"}));
}

TEST_F(CuptiLoss, BuffersAreBoundedAndWhatFindsNoneIsDropped) {
  set("buffers", "2");
  set("buffer_bytes", "64KiB");
  run([&](Session&) {
    // Faster than the buffers are read, and more than two of them hold: some records are dropped.
    for (int i = 0; i < 20'000; ++i) fake_.launch("kernel", 10);
  });
  const std::uint64_t told = sink_.all().size();
  const auto dropped =
      static_cast<std::uint64_t>(std::stoll(query(store(), "select dropped from cupti_capture")[0]));
  EXPECT_EQ(told + dropped, 40'000u) << "each record is told or counted";
  EXPECT_EQ(fake_.unclean_buffers, 0);
}

TEST_F(CuptiLoss, ABufferThatIsCutOffEndsThere) {
  run([&](Session&) {
    fake_.launch("whole", 10);
    fake_.launch("cut", 10);
    fake_.complete(8);
    fake_.launch("after", 10);
  });
  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "whole");
  EXPECT_EQ(kernels[1].name, "after");
  EXPECT_EQ(captures("launches, answered_launches"), (Rows{"3|2"})) << "which shows that one is missing";
}

TEST_F(CuptiLoss, WhatIsNoRecordEndsABufferAndIsCounted) {
  run([&](Session&) {
    fake_.launch("kernel", 10);
    const std::uint64_t nonsense[4] = {0xdeadbeef, 1, 2, 3};
    fake_.write(nonsense, sizeof nonsense);
  });
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 1u);
  const Rows rows = captures("broken_buffers, skipped_bytes >= 32");
  EXPECT_EQ(rows, (Rows{"1|1"}));
}

TEST_F(CuptiLoss, ABufferThatComesAfterTheEndIsThrownAwayAndCounted) {
  options_.schedule = {.wait = 0, .warmup = 0, .active = 1};
  run([&](Session&) { fake_.launch("kernel", 10); });
  EXPECT_EQ(captures("late_buffers"), (Rows{"0"}));
  session_.reset();
  fake_.complete_late();
  run([&](Session&) { fake_.launch("kernel", 10); });
  EXPECT_EQ(captures("late_buffers, kernels"), (Rows{"1|1"}));
}

TEST_F(CuptiLoss, OverheadsDataIsFreed) {
  run([&](Session&) {
    CUpti_ActivityOverhead3 overhead{};
    overhead.kind = CUPTI_ACTIVITY_KIND_OVERHEAD;
    overhead.overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING;
    overhead.start = fake_.now();
    overhead.end = overhead.start + 700;
    overhead.overheadData = std::malloc(64);  // a leak checker would detect it
    fake_.write(&overhead, sizeof overhead);
  });
  const auto overheads = sink_.of(STRATA_ACTIVITY_OVERHEAD);
  ASSERT_EQ(overheads.size(), 1u);
  EXPECT_EQ(overheads[0].event.detail, STRATA_OVERHEAD_FUNCTION_LOADING);
  EXPECT_EQ(overheads[0].event.end_ns - overheads[0].event.begin_ns, 700);
}

}  // namespace
}  // namespace strata::test

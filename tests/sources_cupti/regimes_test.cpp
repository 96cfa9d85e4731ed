// SPDX-License-Identifier: Apache-2.0
// No driver, no library, an old library, and one that may be shared.
#include <filesystem>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

class CuptiRegimes : public CuptiSession {};

// Each code that CUPTI returns without a driver, or with one that is too old.
TEST_F(CuptiRegimes, WithoutADriverTheSourceFailsWithTheReasonAndTheRunGoesOn) {
  for (const int result : {999, 15, 2, 27, 35}) {
    fake_.subscribe_result = result;
    run([&](Session&) {});
    EXPECT_EQ(source().status, "failed") << result;
    EXPECT_NE(source().reason.find("driver"), std::string::npos) << source().reason;
    EXPECT_NE(source().reason.find(std::to_string(result)), std::string::npos) << source().reason;
    EXPECT_EQ(fake_.calls_without_subscription, 0);
  }
}

TEST_F(CuptiRegimes, AnotherRefusalIsToldByItsNumber) {
  fake_.subscribe_result = 7;
  run([&](Session&) {});
  EXPECT_EQ(source().reason, "CUPTI refuses a subscription: 7 (CUPTI_ERROR_OF_ANOTHER_KIND)");
  EXPECT_EQ(captures("regime"), (std::vector<std::string>{"4"}));
}

// NVIDIA's own library, on a machine that has no driver for it.
TEST_F(CuptiRegimes, TheRealLibraryWithoutADriver) {
  if (!std::filesystem::exists(STRATA_REAL_CUPTI))
    GTEST_SKIP() << "this torch came without " STRATA_REAL_CUPTI;
  if (dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != nullptr)
    GTEST_SKIP() << "this machine has a GPU driver";
  options_.sources[1].options[0].text = STRATA_REAL_CUPTI;
  run([&](Session&) {});
  EXPECT_EQ(source().status, "failed");
  EXPECT_EQ(source().reason,
            "this machine has no GPU driver (libcuda.so.1); no device activity is recorded (CUPTI reports "
            "999 (CUPTI_ERROR_UNKNOWN))");
}

TEST_F(CuptiRegimes, SeveralLibrariesAreNamed) {
  const TemporaryFolder folder;
  std::vector<std::string> copies;
  for (const char* name : {"libcupti.so.13", "libcupti.so.12"}) {
    copies.push_back((folder.path() / name).string());
    std::filesystem::copy_file(STRATA_FAKE_CUPTI, copies.back());
    ASSERT_NE(dlopen(copies.back().c_str(), RTLD_NOW | RTLD_LOCAL), nullptr) << dlerror();
  }
  testing::internal::CaptureStderr();
  run([&](Session&) {});
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("more than one libcupti is loaded"), std::string::npos) << log;
  for (const std::string& copy : copies) EXPECT_NE(log.find(copy), std::string::npos) << log;
}

TEST_F(CuptiRegimes, AFileThatIsNotThere) {
  options_.sources[1].options[0].text = "/nonexistent/libcupti.so.13";
  run([&](Session&) {});
  EXPECT_EQ(source().status, "failed");
  EXPECT_NE(source().reason.find("/nonexistent/libcupti.so.13"), std::string::npos) << source().reason;
}

TEST_F(CuptiRegimes, AFileThatIsNoCupti) {
  options_.sources[1].options[0].text = STRATA_ACTIVITY_PLUGINS "/activity_listener.so";
  run([&](Session&) {});
  EXPECT_NE(source().reason.find("is not CUPTI: it lacks cuptiGetVersion"), std::string::npos)
      << source().reason;
}

TEST_F(CuptiRegimes, CuptiOfAnEarlierCudaIsRefusedByItsVersion) {
  fake_.version = 28;  // 12.9
  run([&](Session&) {});
  EXPECT_NE(source().reason.find("is CUPTI version 28"), std::string::npos) << source().reason;
  EXPECT_EQ(fake_.subscriptions, 0);
}

TEST_F(CuptiRegimes, AClockThatIsNotCuptisOwnIsRefused) {
  fake_.clock_offset_ns = 3'000'000'000;
  run([&](Session&) {});
  EXPECT_NE(source().reason.find("CLOCK_REALTIME"), std::string::npos) << source().reason;
  EXPECT_EQ(fake_.unsubscriptions, 1);
}

TEST_F(CuptiRegimes, From13Point3OnItIsSharedWhereThatIsAllowed) {
  fake_.version = 130300;
  fake_.allows_sharing = true;
  run([&](Session&) {
    const std::uint64_t op = begin_op();
    fake_.launch("kernel", 10);
    fake_.launch("kernel", 20);
    end_op(op);
  });
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 2u) << "its records are longer than 13.0's";
  EXPECT_NE(sink_.of(STRATA_ACTIVITY_KERNEL)[1].event.op, STRATA_NONE);
  EXPECT_EQ(captures("regime, kernels, version"), (std::vector<std::string>{"2|2|130300"}));
  EXPECT_EQ(fake_.calls_of_wrong_kind, 0) << "each call names the subscriber";
}

TEST_F(CuptiRegimes, AndAloneWhereItIsNot) {
  fake_.version = 130300;
  run([&](Session&) { fake_.launch("kernel", 10); });
  EXPECT_EQ(captures("regime, kernels"), (std::vector<std::string>{"1|1"}));
  EXPECT_EQ(fake_.calls_of_wrong_kind, 0);
}

TEST_F(CuptiRegimes, SharingCanBeSwitchedOff) {
  fake_.version = 130300;
  fake_.allows_sharing = true;
  set("share", "false");
  run([&](Session&) { fake_.launch("kernel", 10); });
  EXPECT_EQ(captures("regime"), (std::vector<std::string>{"1"}));
}

}  // namespace
}  // namespace strata::test

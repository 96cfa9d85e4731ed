// SPDX-License-Identifier: Apache-2.0
// Another client holds CUPTI.
#include <cstring>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

class CuptiBusy : public CuptiSession {
 protected:
  CuptiBusy() {
    fake_.subscribe_result = 39;
    std::strcpy(fake_.holder.data(), "Nsight Systems");
  }
};

TEST_F(CuptiBusy, TheHolderIsNamedAndTheRunGoesOn) {
  run([&](Session&) { fake_.launch("kernel", 10); });
  EXPECT_EQ(source().status, "ok") << "what NVTX tells remains";
  EXPECT_EQ(sink_.all().size(), 0u);
  EXPECT_EQ(captures("regime, activities"), (std::vector<std::string>{"3|0"}));
  EXPECT_EQ(text("holder"), "Nsight Systems");
  EXPECT_EQ(text("reason").rfind("'Nsight Systems' uses CUPTI", 0), 0u) << text("reason");
  EXPECT_EQ(fake_.calls_without_subscription, 0) << "the Activity API is the holder's";
}

TEST_F(CuptiBusy, OrTheSourceFailsByOption) {
  set("on_busy", "fail");
  run([&](Session&) {});
  EXPECT_EQ(source().status, "failed");
  EXPECT_NE(source().reason.find("Nsight Systems"), std::string::npos) << source().reason;
}

TEST_F(CuptiBusy, OrWaitsUntilItIsFree) {
  set("on_busy", "wait");
  options_.schedule = {.wait = 0, .warmup = 0, .active = 4};
  Session& session = begin();
  for (std::uint64_t index = 0; index < 4; ++index) {
    if (index == 2) fake_.subscribe_result = 0;
    session.begin_step(index, 1);
    fake_.launch("kernel", 10);
    session.end_step({});
  }
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(sink_.of(STRATA_ACTIVITY_KERNEL).size(), 2u);
  EXPECT_EQ(captures("regime, kernels"), (std::vector<std::string>{"3|0", "1|2"}));
  EXPECT_EQ(source().status, "ok");
}

TEST_F(CuptiBusy, AHolderWithoutANameIsGuessedAt) {
  fake_.holder = {};
  setenv("NSYS_PROFILING_SESSION_ID", "1", 1);
  run([&](Session&) {});
  unsetenv("NSYS_PROFILING_SESSION_ID");
  EXPECT_EQ(text("reason").rfind("'Nsight Systems (nsys)' uses CUPTI", 0), 0u) << text("reason");
}

}  // namespace
}  // namespace strata::test

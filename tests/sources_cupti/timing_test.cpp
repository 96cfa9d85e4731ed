// SPDX-License-Identifier: Apache-2.0
// When the source subscribes, and when it does not.
#include <array>
#include <cstdlib>
#include <filesystem>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

class CuptiTiming : public CuptiSession {
 protected:
  void step(Session& session, std::uint64_t index) {
    constexpr std::array kNames = {"step 0", "step 1", "step 2", "step 3", "step 4"};
    session.begin_step(index, 1);
    fake_.launch(kNames.at(index), 10);
    session.end_step({.optimizer_ran = true});
  }
  std::vector<std::string> kernels() const {
    std::vector<std::string> names;
    for (const HeardActivity& heard : sink_.of(STRATA_ACTIVITY_KERNEL)) names.push_back(heard.name);
    return names;
  }
  using Names = std::vector<std::string>;
};

TEST_F(CuptiTiming, NobodyListensSoNothingIsLoaded) {
  options_.plugins.clear();
  options_.sources[1].options[0].text = "/nonexistent/libcupti.so";
  run([&](Session& session) { const Phase phase(session, PhaseKind::kForward, "forward"); });
  EXPECT_EQ(source().status, "ok") << source().reason;
  EXPECT_EQ(fake_.subscriptions, 0);
}

TEST_F(CuptiTiming, ItIsReadyFromTheFirstStepOfWarmUpAndTellsOfTheWindow) {
  options_.schedule = {.wait = 1, .warmup = 1, .active = 2};
  Session& session = begin();
  step(session, 0);
  EXPECT_EQ(fake_.subscriptions, 0) << "a waiting step is none of its business";
  step(session, 1);
  EXPECT_EQ(fake_.subscriptions, 1) << "what CUPTI sets up at its start belongs to the warm-up";
  usleep(2000);
  step(session, 2);
  step(session, 3);
  EXPECT_EQ(fake_.unsubscriptions, 1) << "at the window's end others may have it";
  EXPECT_EQ(kernels(), (Names{"step 2", "step 3"})) << "told before the window closes";
  step(session, 4);
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(kernels(), (Names{"step 2", "step 3"}));
  EXPECT_EQ(captures("kernels, outside_window"), (std::vector<std::string>{"3|2"}))
      << "a kernel and its call";
}

TEST_F(CuptiTiming, APluginOfTheWholeRunHasTheWholeRun) {
  options_.schedule = {.wait = 1, .warmup = 0, .active = 1};
  options_.plugins = {listener("whole_run_listener")};
  Session& session = begin();
  EXPECT_EQ(fake_.subscriptions, 1) << "before CUDA starts, whose loading it wants to see";
  fake_.launch("before step 0", 10);
  for (std::uint64_t index = 0; index < 3; ++index) step(session, index);
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(kernels(), (Names{"before step 0", "step 0", "step 1", "step 2"}));
  EXPECT_EQ(fake_.unsubscriptions, 1);
}

TEST_F(CuptiTiming, FromTheRunsBeginByOption) {
  set("from", "run");
  options_.schedule = {.wait = 1, .warmup = 0, .active = 1};
  Session& session = begin();
  EXPECT_EQ(fake_.subscriptions, 1);
  step(session, 0);
  usleep(2000);
  step(session, 1);
  const int unsubscribed_at_window_end = fake_.unsubscriptions;
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(kernels(), (Names{"step 1"})) << "the plugin has its window";
  EXPECT_EQ(unsubscribed_at_window_end, 1);
}

TEST_F(CuptiTiming, WhatARunThatEndsInTheMiddleHasDoneIsTold) {
  options_.schedule = {};  // a window without an end
  Session& session = begin();
  session.begin_step(0, 1);
  fake_.launch("last", 10);
  session.end_run(RunEnd::kInterrupted);
  EXPECT_EQ(kernels(), (Names{"last"}));
}

TEST_F(CuptiTiming, AnExitInTheMiddleTellsAllThatWasDone) {
  // In a separate process, which starts this test again: the folder is that of the first process.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  constexpr const char* kVariable = "STRATA_TEST_EXIT_FOLDER";
  if (std::getenv(kVariable) == nullptr) {
    folder_ = std::make_unique<RunFolder>();
    setenv(kVariable, folder_->path().c_str(), 1);
  }
  options_.directory = std::getenv(kVariable);
  EXPECT_EXIT(
      {
        session_ = std::make_unique<Session>(options_);
        session_->begin_run();
        session_->begin_step(0, 1);
        fake_.launch("handed over", 10);
        fake_.complete(0);
        fake_.launch("in a buffer still", 10);
        std::exit(3);
      },
      testing::ExitedWithCode(3), "");
  unsetenv(kVariable);
  std::vector<std::filesystem::path> stores;
  for (const auto& entry : std::filesystem::directory_iterator(folder_->rank())) {
    if (entry.path().extension() == ".sqlite") stores.push_back(entry.path());
  }
  ASSERT_EQ(stores.size(), 1u);
  EXPECT_EQ(query(stores[0], "select kernels, launches, answered_launches from cupti_capture"),
            (Names{"2|2|2"}));
}

}  // namespace
}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// The active window: which plugins receive events inside it, outside it, and at its edges.
#include "host/runtime/events/window_schedule.hpp"
#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

TEST(WindowSchedule, TagsStepsByTheirPlace) {
  const WindowSchedule schedule({.wait = 1, .warmup = 2, .active = 2});
  const std::vector<std::uint32_t> expected = {STRATA_STEP_WAIT,   STRATA_STEP_WARMUP, STRATA_STEP_WARMUP,
                                               STRATA_STEP_ACTIVE, STRATA_STEP_ACTIVE, STRATA_STEP_WAIT};
  for (std::uint64_t step = 0; step < expected.size(); ++step)
    EXPECT_EQ(schedule.stage_of(step), expected[step]) << step;
  EXPECT_EQ(schedule.window().first_step, 3u);
  EXPECT_EQ(schedule.window().last_step, 4u);
}

TEST(WindowSchedule, WithoutAnEndReachesTheLastStepAndNoFurther) {
  const WindowSchedule schedule({.wait = 5});
  EXPECT_TRUE(schedule.contains(UINT64_MAX - 1));
  EXPECT_FALSE(schedule.contains(STRATA_NO_STEP));
}

class WindowEvents : public SessionTest {
 protected:
  WindowEvents() { options_.schedule = {.wait = 1, .warmup = 0, .active = 1}; }
};

TEST_F(WindowEvents, OutsideOnlyTheRunIsTold) {
  listen("recording_a");
  emit_too();
  Session& session = open();
  session.begin_run();
  for (std::uint64_t step = 0; step < 3; ++step) {
    session.begin_step(step, 1);
    allocate(step);
    session.end_step({.optimizer_ran = true});
  }
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(sink_.texts("recording_a"), (Texts{"begin_run run", "begin_step 1", "on_memory 1", "end_step 1",
                                               "flush 1", "flush 2", "end_run 0", "destroy"}));
}

TEST_F(WindowEvents, APluginOfTheWholeRunHearsAll) {
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  for (std::uint64_t step = 0; step < 3; ++step) {
    session.begin_step(step, 1);
    session.end_step({.optimizer_ran = true});
  }
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"begin_run run", "begin_step 0", "end_step 0", "begin_step 1", "end_step 1", "flush 1",
                   "begin_step 2", "end_step 2"}));
}

// A source emits its held events before the plugins flush: at the window's end and at the run's.
TEST_F(WindowEvents, WhatASourceTellsWhenItIsFlushedStillReachesThePlugins) {
  listen("recording_a");
  listen("recording_whole");
  options_.sources.push_back(recording("emitter"));
  sink_.holds_activity = true;
  Session& session = open();
  EXPECT_EQ(sink_.interest_in_window & STRATA_INTEREST_ACTIVITY, STRATA_INTEREST_ACTIVITY)
      << "a source knows of the plugins when it is created";
  session.begin_run();
  for (std::uint64_t step = 0; step < 3; ++step) {
    session.begin_step(step, 1);
    session.end_step({.optimizer_ran = true});
  }
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(sink_.texts("recording_a"),
            (Texts{"begin_run run", "begin_step 1", "end_step 1", "on_activity held", "flush 1", "flush 2",
                   "end_run 0", "destroy"}));
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"begin_run run", "begin_step 0", "end_step 0", "begin_step 1", "end_step 1",
                   "on_activity held", "flush 1", "begin_step 2", "end_step 2", "on_activity held", "flush 2",
                   "end_run 0", "destroy"}));
}

TEST_F(WindowEvents, ASourceIsToldWhenNobodyWantsItsEvents) {
  options_.sources.push_back(recording("emitter"));
  open();
  EXPECT_EQ(sink_.interest_in_window, 0u);
}

TEST_F(WindowEvents, AnEndWhoseBeginLayBeforeTheWindowIsNotTold) {
  listen("recording_a");
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  session.end_step({});
  const std::uint32_t phase = session.begin_phase(PhaseKind::kOther, "across");
  const std::uint32_t module = session.begin_module("across", "Module", ModuleDirection::kForward);
  const std::uint64_t op = begin_op("across");
  session.begin_step(1, 1);
  sink_.clear();
  end_op(op);
  session.end_module(module);
  session.end_phase(phase);
  EXPECT_EQ(sink_.texts("recording_a"), Texts{});
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"end_op across", "end_module across", "end_phase across"}));
}

TEST_F(WindowEvents, AnEndWhoseBeginLayInsideIsToldAfterTheWindow) {
  listen("recording_a");
  emit_too();
  Session& session = open();
  session.begin_run();
  session.begin_step(1, 1);
  const std::uint32_t module = session.begin_module("across", "Module", ModuleDirection::kForward);
  const std::uint64_t op = begin_op("across");
  session.end_step({.optimizer_ran = true});
  sink_.clear();
  EXPECT_EQ(begin_op("outside"), STRATA_NONE);
  end_op(op);
  session.end_module(module);
  EXPECT_EQ(sink_.texts("recording_a"), (Texts{"end_op across", "end_module across"}));
}

TEST_F(WindowEvents, InterestFollowsTheWindow) {
  listen("recording_a");
  emit_too();
  Session& session = open();
  session.begin_run();
  const auto interest = [&] { return sink_.emit->interest(sink_.source_host); };
  EXPECT_EQ(interest(), 0u);
  session.begin_step(1, 1);
  EXPECT_EQ(interest(), STRATA_INTEREST_MEMORY | STRATA_INTEREST_OP | STRATA_INTEREST_GRAPH |
                            STRATA_INTEREST_TENSOR | STRATA_INTEREST_ACTIVITY);
  session.end_step({});
  EXPECT_EQ(interest(), 0u);
}

TEST_F(WindowEvents, AScheduleWithoutActiveStepsIsRefused) {
  options_.schedule.active = 0;
  EXPECT_THROW(open(), SessionError);
}

}  // namespace
}  // namespace strata

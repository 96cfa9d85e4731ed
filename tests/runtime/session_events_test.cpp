// SPDX-License-Identifier: Apache-2.0
// The events that plugins receive of a run: order, pairing, circumstances.
#include <algorithm>
#include <stdexcept>

#include "tests/runtime/session_fixture.hpp"

namespace strata {
namespace {

class SessionEvents : public SessionTest {};

TEST_F(SessionEvents, OnePluginHearsTheRunInOrder) {
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  session.ready();
  session.begin_step(0, 1);
  const std::uint32_t phase = session.begin_phase(PhaseKind::kForward, "forward");
  const std::uint32_t module = session.begin_module("layers.0", "Block", ModuleDirection::kForward);
  session.tensor({.role = TensorRole::kParameter, .name = "weight", .dtype = "float32"});
  session.end_module(module);
  session.end_phase(phase);
  session.end_step({.optimizer_ran = true, .loss = 1.5, .tokens = 8});
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"begin_run run", "ready", "begin_step 0", "begin_phase forward", "begin_module layers.0",
                   "on_tensor weight", "end_module layers.0", "end_phase forward", "end_step 0", "flush 2",
                   "end_run 0", "destroy"}));
}

TEST_F(SessionEvents, BeginsGoInLoadOrderAndEndsInReverse) {
  listen("recording_a");
  listen("recording_b");
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  { const Phase phase(session, PhaseKind::kBackward, "backward"); }
  session.end_step({.optimizer_ran = true});
  session.end_run(RunEnd::kDone);
  EXPECT_EQ(sink_.texts(),
            (Texts{"recording_a: begin_run run", "recording_b: begin_run run", "recording_a: begin_step 0",
                   "recording_b: begin_step 0", "recording_a: begin_phase backward",
                   "recording_b: begin_phase backward", "recording_b: end_phase backward",
                   "recording_a: end_phase backward", "recording_b: end_step 0", "recording_a: end_step 0",
                   "recording_a: flush 2", "recording_b: flush 2", "recording_b: end_run 0",
                   "recording_a: end_run 0", "recording_b: destroy", "recording_a: destroy"}));
}

TEST_F(SessionEvents, EveryEventHasItsOwnNumberAndOneTimeForAllPlugins) {
  listen("recording_a");
  listen("recording_b");
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  session.end_step({});
  session.end_run(RunEnd::kDone);
  std::vector<Heard> a;
  std::vector<Heard> b;
  for (const Heard& heard : sink_.heard()) {
    if (heard.when.sequence != 0) (heard.plugin == "recording_a" ? a : b).push_back(heard);
  }
  ASSERT_EQ(a.size(), 4u);
  ASSERT_EQ(b.size(), 4u);
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].when.sequence, b[i].when.sequence) << a[i].what;
    EXPECT_EQ(a[i].when.monotonic_ns, b[i].when.monotonic_ns) << a[i].what;
    if (i == 0) continue;
    EXPECT_GT(a[i].when.sequence, a[i - 1].when.sequence);
    EXPECT_GE(a[i].when.monotonic_ns, a[i - 1].when.monotonic_ns);
  }
}

TEST_F(SessionEvents, TokensComeBackToWhomTheyBelong) {
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  session.begin_step(3, 1);
  const std::uint32_t outer = session.begin_phase(PhaseKind::kForward, "outer");
  const std::uint32_t inner = session.begin_phase(PhaseKind::kLoss, "inner");
  session.end_phase(inner);
  session.end_phase(outer);
  session.end_step({});
  session.end_run(RunEnd::kDone);
  std::vector<std::uint64_t> tokens;
  for (const Heard& heard : sink_.heard()) {
    if (heard.what.starts_with("end_phase") || heard.what.starts_with("end_step"))
      tokens.push_back(heard.token);
  }
  EXPECT_EQ(tokens, (std::vector<std::uint64_t>{2000 + inner, 2000 + outer, 1003}));
}

TEST_F(SessionEvents, AnEventSaysWhereItFell) {
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.begin_run();
  allocate(1);
  session.begin_step(7, 2);
  session.begin_micro_batch(1);
  const Phase phase(session, PhaseKind::kForward, "forward");
  const std::uint32_t module = session.begin_module("root", "Root", ModuleDirection::kForward);
  const std::uint64_t op = begin_op("aten::mm");
  allocate(2);
  end_op(op);
  allocate(3);
  std::vector<strata_when> at;
  for (const Heard& heard : sink_.heard()) {
    if (heard.plugin == "recording_whole" && heard.what.starts_with("on_memory")) at.push_back(heard.when);
  }
  ASSERT_EQ(at.size(), 3u);
  EXPECT_EQ(at[0].step, STRATA_NO_STEP);
  EXPECT_EQ(at[0].phase, STRATA_NONE);
  EXPECT_EQ(at[1].step, 7u);
  EXPECT_EQ(at[1].micro_batch, 1u);
  EXPECT_EQ(at[1].phase, 1u);
  EXPECT_EQ(at[1].module, module);
  EXPECT_EQ(at[1].op, op);
  EXPECT_EQ(at[2].op, STRATA_NONE);
  EXPECT_EQ(at[2].module, module);
}

TEST_F(SessionEvents, RangesLeftOpenAreEndedFirst) {
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  const std::uint32_t outer = session.begin_phase(PhaseKind::kForward, "outer");
  session.begin_phase(PhaseKind::kOther, "inner");
  const std::uint64_t op = begin_op("outer_op");
  begin_op("inner_op");
  sink_.clear();
  end_op(op);
  session.end_phase(outer);
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"end_op inner_op", "end_op outer_op", "end_phase inner", "end_phase outer"}));
}

TEST_F(SessionEvents, AnEndWithoutItsBeginIsToldToNobody) {
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.begin_run();
  sink_.clear();
  session.end_phase(17);
  session.end_module(17);
  session.end_step({});
  end_op(17);
  EXPECT_EQ(sink_.texts(), Texts{});
}

TEST_F(SessionEvents, AStepThatBeginsInAnotherEndsItWithoutUpdate) {
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  session.begin_step(0, 1);
  session.begin_phase(PhaseKind::kForward, "forward");
  sink_.clear();
  session.begin_step(1, 1);
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"end_phase forward", "end_step 0 without update", "begin_step 1"}));
}

TEST_F(SessionEvents, AnExceptionInAStepEndsWhatWasOpenAndTheRun) {
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  try {
    session.begin_step(0, 1);
    const Phase phase(session, PhaseKind::kForward, "forward");
    const ModuleRange module(session, "layers.0", "Block");
    sink_.clear();
    throw std::runtime_error("a trainer's");
  } catch (const std::runtime_error&) {
    session.end_run(RunEnd::kFailed);
  }
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"end_module layers.0", "end_phase forward", "end_step 0 without update", "flush 2",
                   "end_run 1", "destroy"}));
}

TEST_F(SessionEvents, ASessionThatIsDestroyedMidRunHasFailed) {
  listen("recording_whole");
  Session& session = open();
  session.begin_run();
  session.begin_step(4, 1);
  session.begin_phase(PhaseKind::kBackward, "backward");
  session.begin_module("layers.1", "Block", ModuleDirection::kBackward);
  sink_.clear();
  session_.reset();
  EXPECT_EQ(sink_.texts("recording_whole"),
            (Texts{"end_module layers.1", "end_phase backward", "end_step 4 without update", "flush 2",
                   "end_run 1", "destroy"}));
}

TEST_F(SessionEvents, NothingIsToldBeforeTheRunAndAfterIt) {
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.ready();
  session.begin_step(0, 1);
  session.begin_phase(PhaseKind::kForward, "early");
  session.end_step({});
  allocate(1);
  EXPECT_EQ(sink_.texts(), Texts{});
  session.begin_run();
  const std::uint64_t op = begin_op("open");
  session.end_run(RunEnd::kDone);
  sink_.clear();
  session.begin_step(1, 1);
  session.begin_phase(PhaseKind::kForward, "late");
  session.begin_module("late", "Late", ModuleDirection::kForward);
  session.end_run(RunEnd::kFailed);
  allocate(2);
  end_op(op);
  EXPECT_EQ(sink_.texts(), Texts{});
}

TEST_F(SessionEvents, LateEventsOfAnOldSessionDoNotDisturbTheNext) {
  listen("recording_whole");
  emit_too();
  open().begin_run();
  const strata_emit_service* const emit = sink_.emit;
  const strata_host* const old_host = sink_.source_host;
  const std::uint64_t old_op = begin_op("old");
  session_.reset();
  Session& session = open();
  session.begin_run();
  const std::uint64_t op = begin_op("new");
  sink_.clear();
  emit->op_end(old_host, old_op);
  strata_memory_event event{};
  event.struct_size = sizeof event;
  emit->memory(old_host, &event);
  EXPECT_EQ(sink_.texts(), Texts{});
  end_op(op);
  EXPECT_EQ(sink_.texts("recording_whole"), Texts{"end_op new"});
}

TEST_F(SessionEvents, ASecondSessionIsRefusedWhileOneIsThere) {
  open();
  EXPECT_THROW(Session{options_}, std::logic_error);
  session_.reset();
  EXPECT_NO_THROW(open());
}

TEST_F(SessionEvents, TooDeepRangesAreNotToldAndDoNotBreakTheOthers) {
  listen("recording_whole");
  emit_too();
  Session& session = open();
  session.begin_run();
  std::vector<std::uint64_t> ops;
  for (int i = 0; i < 300; ++i) ops.push_back(begin_op("nested"));
  EXPECT_NE(ops[255], STRATA_NONE);
  EXPECT_EQ(ops[256], STRATA_NONE);
  std::reverse(ops.begin(), ops.end());
  for (const std::uint64_t op : ops) end_op(op);
  const Texts texts = sink_.texts("recording_whole");
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "begin_op nested"), 256);
  EXPECT_EQ(std::count(texts.begin(), texts.end(), "end_op nested"), 256);
}

}  // namespace
}  // namespace strata

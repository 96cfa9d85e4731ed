// SPDX-License-Identifier: Apache-2.0
// CUPTI's callbacks: loaded device code, and graph nodes as they are created.
#include <cupti.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "tests/sources_cupti/cupti_session.hpp"

namespace strata::test {
namespace {

using Rows = std::vector<std::string>;

class CuptiResources : public CuptiSession {};

std::int64_t steady_ns() {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST_F(CuptiResources, AModuleIsToldWhenItWasLoaded) {
  std::int64_t before_ns = 0, after_ns = 0;
  run([&](Session&) {
    before_ns = steady_ns();
    fake_.load_module(4096);
    after_ns = steady_ns();
    fake_.launch("kernel", 10);
  });
  const auto modules = sink_.of(STRATA_ACTIVITY_MODULE);
  ASSERT_EQ(modules.size(), 1u);
  const strata_activity_event& module = modules[0].event;
  EXPECT_EQ(module.bytes, 4096u);
  EXPECT_EQ(module.thread, static_cast<std::uint32_t>(gettid()));
  EXPECT_EQ(module.context, 1u);
  EXPECT_EQ(module.begin_ns, module.end_ns);
  EXPECT_GE(module.begin_ns, before_ns);
  EXPECT_LE(module.begin_ns, after_ns);
  EXPECT_EQ(text("refused_kinds"), "") << "CUPTI has no records of modules, and was not asked for any";
  EXPECT_EQ(source().status, "ok");
}

TEST_F(CuptiResources, NoModuleIsToldUnlessAskedFor) {
  set("kinds", "kernel,api");
  run([&](Session&) { fake_.load_module(4096); });
  EXPECT_TRUE(sink_.of(STRATA_ACTIVITY_MODULE).empty());
}

TEST_F(CuptiResources, AModuleOfAnEarlierRunIsNotToldInTheNext) {
  run([&](Session&) { fake_.load_module(1); });
  run([&](Session&) { fake_.load_module(2); });
  const auto modules = sink_.of(STRATA_ACTIVITY_MODULE);
  ASSERT_EQ(modules.size(), 2u);
  EXPECT_EQ(modules[1].event.bytes, 2u);
}

// A graph's nodes belong to the operators in which they were captured; its launch belongs to none.
TEST_F(CuptiResources, ANodeHasTheOpItWasCapturedUnderAndThePhaseOfItsLaunch) {
  set("graphs", "node");
  std::uint64_t captured_under = 0;
  std::uint32_t module = 0, phase = 0, first_correlation = 0;
  run([&](Session& session) {
    {
      const Phase capture(session, PhaseKind::kOther, "capture");
      module = session.begin_module("layers.0", "Linear", ModuleDirection::kForward);
      captured_under = begin_op();
      fake_.make_node(11);
      end_op(captured_under);
      session.end_module(module);
    }
    fake_.clone_node(11, 21);  // of the executable graph
    phase = session.begin_phase(PhaseKind::kForward, "forward");
    const std::array<std::uint64_t, 2> nodes = {21, 99};  // the second was created before recording
    first_correlation = fake_.launch_graph(nodes.data(), nodes.size());
    fake_.launch_graph(nodes.data(), 1);
    session.end_phase(phase);
  });
  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), 3u);
  for (const HeardActivity& kernel : kernels) {
    EXPECT_EQ(kernel.event.phase, phase);
    const bool is_known = kernel.event.graph_node == 21;
    EXPECT_EQ(kernel.event.op, is_known ? captured_under : STRATA_NONE);
    EXPECT_EQ(kernel.event.module, is_known ? module : STRATA_NONE);
  }
  EXPECT_EQ(kernels[0].event.correlation, first_correlation);
  EXPECT_EQ(captures("kernels, launches, answered_launches, without_call"), (Rows{"3|2|2|0"}));
}

// The thread's stack may hold operators that an earlier recording began.
TEST_F(CuptiResources, ANodeIsNotOfAnOpOfAnEarlierRun) {
  set("graphs", "node");
  Session& session = begin();
  session.begin_step(0, 1);
  begin_op();
  session.end_step({});
  session.end_run(RunEnd::kDone);
  run([&](Session&) {
    fake_.make_node(31);
    const std::uint64_t node = 31;
    fake_.launch_graph(&node, 1);
  });
  const auto kernels = sink_.of(STRATA_ACTIVITY_KERNEL);
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].event.op, STRATA_NONE);
}

}  // namespace
}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// The loop thread and the gate in isolation, with listeners that interfere.
#include "host/runtime/events/loop_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "strata/ext/flush.h"

namespace strata {
namespace {

using namespace std::chrono_literals;

TEST(EventGate, OnceClosedStaysClosed) {
  Routes open;
  open.open = true;
  EventGate gate;
  EXPECT_TRUE(gate.set_routes(open));
  EXPECT_TRUE(gate.routes().open);
  gate.close();
  EXPECT_FALSE(gate.set_routes(open));
  EXPECT_FALSE(gate.routes().open);
}

class LoopThreadTest : public testing::Test {
 protected:
  LoopThreadTest() {
    ListenerSet set;
    set.self = this;
    set.whole_run = true;
    set.run.begin = [](void* self, const strata_when*, const strata_run_info*) { tell(self, "begin_run"); };
    set.run.end = [](void* self, const strata_when*, std::uint32_t) { tell(self, "end_run"); };
    set.step.begin = [](void* self, const strata_when*, const strata_step_info*) -> std::uint64_t {
      tell(self, "begin_step");
      return 0;
    };
    set.step.end = [](void* self, const strata_when*, const strata_step_info*, const strata_step_result*,
                      std::uint64_t) { tell(self, "end_step"); };
    set.flush.flush = [](void* self, std::uint32_t, std::int64_t) { tell(self, "flush"); };
    set.memory.on_memory = [](void* self, const strata_when*, const strata_memory_event*) {
      tell(self, "memory");
    };
    set.graph.on_graph = [](void* self, const strata_when*, const strata_graph_event*) {
      tell(self, "graph");
    };
    set.tensor.on_tensor = [](void* self, const strata_when*, const strata_tensor_event*) {
      tell(self, "tensor");
    };
    set.activity.on_activity = [](void* self, const strata_when*, const strata_activity_event*) {
      tell(self, "activity");
    };
    set.op.begin = [](void* self, const strata_when*, const strata_op_info*) -> std::uint64_t {
      tell(self, "begin_op");
      return 0;
    };
    set.module.begin = [](void* self, const strata_when*, const strata_module_info*) -> std::uint64_t {
      tell(self, "begin_module");
      return 0;
    };
    fan_out_.listen(set);
  }
  ~LoopThreadTest() override { static_cast<void>(end()); }

  static void tell(void* self, const std::string& what) {
    auto& test = *static_cast<LoopThreadTest*>(self);
    test.heard_.push_back(what);
    if (test.on_ != nullptr) test.on_(what);
  }

  template <typename Event>
  static Event event() {
    Event made{};
    made.struct_size = sizeof made;
    return made;
  }

  void begin() {
    const auto run = event<strata_run_info>();
    loop_thread_.begin_run(run);
  }
  bool end() {
    loop_thread_.flush_before_end(STRATA_FLUSH_RUN_END);
    return loop_thread_.end_run(STRATA_RUN_DONE, STRATA_FLUSH_RUN_END);
  }
  std::uint64_t faults(const std::string& name) const {
    const auto named = faults_.by_name();
    const auto found = named.find(name);
    return found == named.end() ? 0 : found->second;
  }

  SessionFaults faults_{true};
  FanOut fan_out_{faults_};
  WindowSchedule schedule_{Schedule{.wait = 0, .warmup = 0, .active = 1}};
  LoopThread loop_thread_{fan_out_, schedule_, 20ms};
  std::function<void(const std::string&)> on_;  // called in every listener
  std::vector<std::string> heard_;
};

using Texts = std::vector<std::string>;

//   worker                        loop thread
//   enters a listener
//                                 ends the run: gives up, sends nothing, reports it
//   leaves it
TEST_F(LoopThreadTest, SaysWhenAThreadStayedInsideAnEvent) {
  std::atomic<bool> inside{false};
  std::atomic<bool> leave{false};
  on_ = [&](const std::string& what) {
    if (what != "memory") return;
    inside.store(true);
    while (!leave.load()) std::this_thread::yield();
  };
  begin();
  std::thread worker([&] { fan_out_.memory(event<strata_memory_event>()); });
  while (!inside.load()) std::this_thread::yield();
  EXPECT_FALSE(end());
  leave.store(true);
  worker.join();
  EXPECT_EQ(heard_, (Texts{"begin_run", "memory"}));
  EXPECT_EQ(faults("events_in_flight"), 1u);
}

// As by exit() on another thread or by a fork, during a call of the loop thread.
TEST_F(LoopThreadTest, AWindowsEdgeDoesNotOpenAClosedGate) {
  begin();
  loop_thread_.begin_step(0, 1);
  on_ = [&](const std::string& what) {
    if (what == "end_step") loop_thread_.disarm();
  };
  loop_thread_.end_step({});  // closes the window
  EXPECT_FALSE(fan_out_.gate().routes().open);
  loop_thread_.begin_step(1, 1);
  fan_out_.memory(event<strata_memory_event>());
  EXPECT_EQ(heard_, (Texts{"begin_run", "begin_step", "end_step"})) << "no flush either";
}

TEST_F(LoopThreadTest, ARunThatIsOverDoesNotBeginAgain) {
  EXPECT_TRUE(end());
  begin();
  EXPECT_EQ(heard_, Texts{});
  EXPECT_EQ(faults("out_of_turn"), 1u);
}

TEST_F(LoopThreadTest, CountsCallsBeforeTheRun) {
  loop_thread_.ready();
  loop_thread_.begin_step(0, 1);
  loop_thread_.begin_micro_batch(0);
  loop_thread_.end_step({});
  EXPECT_EQ(loop_thread_.begin_phase(STRATA_PHASE_FORWARD, {"early", 1, 0}), STRATA_NONE);
  EXPECT_EQ(faults("out_of_turn"), 5u);
  EXPECT_EQ(faults("unpaired_step"), 0u);
}

TEST_F(LoopThreadTest, DoesNotCountCallsAfterTheRun) {
  begin();
  EXPECT_TRUE(end());
  loop_thread_.begin_step(0, 1);
  loop_thread_.end_step({});
  EXPECT_EQ(faults("out_of_turn"), 0u);
}

TEST_F(LoopThreadTest, NoticesTwoLoopThreads) {
  begin();
  on_ = [&](const std::string& what) {
    if (what == "begin_step") std::thread([&] { loop_thread_.begin_micro_batch(1); }).join();
  };
  loop_thread_.begin_step(0, 1);
  EXPECT_EQ(faults("two_loop_threads"), 1u);
}

TEST_F(LoopThreadTest, TellsNothingElseInsideAMemoryEvent) {
  begin();
  on_ = [&](const std::string& what) {
    if (what != "memory") return;
    fan_out_.memory(event<strata_memory_event>());
    fan_out_.graph(event<strata_graph_event>());
    fan_out_.tensor(event<strata_tensor_event>());
    fan_out_.activity(event<strata_activity_event>());
    EXPECT_EQ(fan_out_.begin_op(event<strata_op_info>()), STRATA_NONE);
    EXPECT_EQ(fan_out_.begin_module(event<strata_module_info>()), STRATA_NONE);
  };
  fan_out_.memory(event<strata_memory_event>());
  EXPECT_EQ(heard_, (Texts{"begin_run", "memory"}));
  EXPECT_EQ(faults("memory_event_inside"), 6u);
  on_ = nullptr;
  fan_out_.tensor(event<strata_tensor_event>());
  EXPECT_EQ(heard_.back(), "tensor");
}

TEST_F(LoopThreadTest, LeavesOutAListenerThatGaveUpInTheRunsBegin) {
  std::atomic<bool> gave_up{false};
  FanOut fan_out(faults_);
  ListenerSet source;
  source.self = &gave_up;
  source.whole_run = true;
  source.source = true;
  source.gave_up = &gave_up;
  source.run.begin = [](void* self, const strata_when*, const strata_run_info*) {
    static_cast<std::atomic<bool>*>(self)->store(true);
  };
  source.memory.on_memory = [](void*, const strata_when*, const strata_memory_event*) { FAIL(); };
  fan_out.listen(source);
  LoopThread loop_thread(fan_out, schedule_, 20ms);
  loop_thread.begin_run(event<strata_run_info>());
  fan_out.memory(event<strata_memory_event>());
  EXPECT_TRUE(loop_thread.end_run(STRATA_RUN_DONE, STRATA_FLUSH_RUN_END));
}

}  // namespace
}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
// Layers, on the thread that runs them.
#include <gtest/gtest.h>
#include <pthread.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/nvtx_markers/fake_training.hpp"
#include "tests/nvtx_markers/recording.hpp"

namespace strata::test {
namespace {

using Story = std::vector<std::string>;

// The pushes and pops of one thread.
Story of_thread(const Recording& recording, pid_t thread) {
  Story story;
  for (const nlohmann::json& event : recording.events()) {
    if (event["thread"] != thread) continue;
    if (event["event"] == "push") story.push_back(event["message"]);
    if (event["event"] == "pop") story.push_back("pop");
  }
  return story;
}

TEST(LayerRanges, NestOnTheLoopThread) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    const std::uint64_t step = training.begin_step(3);
    const std::uint64_t forward = training.begin_phase("forward", STRATA_PHASE_FORWARD);
    const std::uint64_t root = training.begin_module("", STRATA_MODULE_FORWARD);
    training.end_module(training.begin_module("layers.0", STRATA_MODULE_FORWARD, 7));
    training.end_module(root);
    training.end_phase("forward", STRATA_PHASE_FORWARD, forward);
    training.end_step(step);
  }
  EXPECT_EQ(of_thread(recording, gettid()), (Story{"step", "micro-batch", "forward", "Block", "layers.0",
                                                   "pop", "pop", "pop", "pop", "pop"}));
  for (const nlohmann::json& event : recording.events("push")) {
    if (event["message"] == "layers.0") {
      EXPECT_EQ(event["payload"], 3);
      EXPECT_EQ(event["category"], 4);
    }
  }
}

TEST(LayerRanges, OfAutogradsThreadLieWithinThePhase) {
  const Recording recording;
  pid_t autograd = 0;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    const std::uint64_t step = training.begin_step(3);
    const std::uint64_t backward = training.begin_phase("backward", STRATA_PHASE_BACKWARD);
    std::thread([&] {
      pthread_setname_np(pthread_self(), "pt_autograd_0");
      autograd = gettid();
      const std::uint64_t outer = training.begin_module("layers.1", STRATA_MODULE_BACKWARD);
      training.end_module(training.begin_module("layers.1.ffn", STRATA_MODULE_RECOMPUTE, 7));
      training.end_module(outer);
      training.end_module(training.begin_module("layers.0", STRATA_MODULE_BACKWARD));
    }).join();
    training.end_phase("backward", STRATA_PHASE_BACKWARD, backward);
    training.end_step(step);
  }
  EXPECT_EQ(of_thread(recording, autograd),
            (Story{"backward", "layers.1 backward", "layers.1.ffn recompute", "pop", "pop", "pop",  //
                   "backward", "layers.0 backward", "pop", "pop"}));
  Story names;
  for (const nlohmann::json& event : recording.events("thread_name")) names.push_back(event["message"]);
  EXPECT_EQ(names, (Story{"loop thread", "pt_autograd_0"}));
  EXPECT_EQ(recording.open(), 0);
}

TEST(LayerRanges, LieWithinThePhaseThatGoesOnAfterANestedOne) {
  const Recording recording;
  pid_t autograd = 0;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    const std::uint64_t backward = training.begin_phase("backward", STRATA_PHASE_BACKWARD);
    training.phase("gradient_sync", STRATA_PHASE_GRADIENT_SYNC);
    std::thread([&] {
      autograd = gettid();
      training.end_module(training.begin_module("layers.0", STRATA_MODULE_BACKWARD));
    }).join();
    training.end_phase("backward", STRATA_PHASE_BACKWARD, backward);
  }
  EXPECT_EQ(of_thread(recording, autograd), (Story{"backward", "layers.0 backward", "pop", "pop"}));
}

TEST(LayerRanges, BeforeAnyPhaseTheLoopThreadIsStillTheLoopThread) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    training.end_module(training.begin_module("layers.0", STRATA_MODULE_FORWARD));
  }
  EXPECT_EQ(recording.events("thread_name").size(), 1u) << "named once, as the loop thread";
}

// As the session ends ranges that an exception left open.
TEST(LayerRanges, EndedByAnotherThreadGoWhenTheirOwnComesBack) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    std::thread([&] {
      const auto self = static_cast<std::uint32_t>(gettid());
      const std::uint64_t outer = training.begin_module("layers.1", STRATA_MODULE_BACKWARD);
      const std::uint64_t inner = training.begin_module("layers.1.ffn", STRATA_MODULE_BACKWARD, 7);
      std::thread([&] {
        training.end_module(inner, self);
        training.end_module(outer, self);
      }).join();
      EXPECT_EQ(recording.open(), 2);
      training.end_module(training.begin_module("layers.0", STRATA_MODULE_BACKWARD));
      EXPECT_EQ(of_thread(recording, gettid()), (Story{"layers.1 backward", "layers.1.ffn backward", "pop",
                                                       "pop", "layers.0 backward", "pop"}));
    }).join();
  }
  EXPECT_EQ(recording.open(), 0);
}

TEST(LayerRanges, ThatNobodyCouldEndAreReported) {
  const Recording recording;
  FakeHost* host = nullptr;
  FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
  host = &training.host();
  std::uint64_t layer = 0;
  std::uint32_t worker = 0;
  std::thread([&] {
    worker = static_cast<std::uint32_t>(gettid());
    layer = training.begin_module("layers.1", STRATA_MODULE_BACKWARD);
  }).join();
  training.end_module(layer, worker);
  host->end_run();
  ASSERT_FALSE(host->log().empty());
  EXPECT_EQ(host->log().back(), "1 NVTX ranges stay open: the threads that opened them did not close them");
}

TEST(LayerRanges, CanBeLeftOut) {
  FakeHost host(Options{{"layers", "false"}});
  host.load(NVTX_MARKERS_FILE);
  EXPECT_EQ(host.listener<strata_module_listener>(STRATA_EXT_MODULE), nullptr);
  EXPECT_NE(host.listener<strata_phase_listener>(STRATA_EXT_PHASE), nullptr);
  host.destroy();
}

TEST(LayerRanges, KeepTheirThreadsApart) {
  const Recording recording;
  constexpr int kRounds = 200;
  std::vector<pid_t> threads(3);
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    std::vector<std::string> paths{"layers.0", "layers.1", "layers.2"};
    for (const std::string& path : paths) training.end_module(training.begin_module(path.c_str(), 0));
    std::vector<std::thread> workers;
    for (std::size_t i = 0; i < threads.size(); ++i) {
      workers.emplace_back([&, i] {
        threads[i] = gettid();
        for (int round = 0; round < kRounds; ++round)
          training.end_module(training.begin_module(paths[i].c_str(), STRATA_MODULE_FORWARD));
      });
    }
    for (std::thread& worker : workers) worker.join();
  }
  for (std::size_t i = 0; i < threads.size(); ++i) {
    const Story story = of_thread(recording, threads[i]);
    ASSERT_EQ(story.size(), 2u * kRounds);
    for (std::size_t at = 0; at < story.size(); at += 2) {
      ASSERT_EQ(story[at], "layers." + std::to_string(i));
      ASSERT_EQ(story[at + 1], "pop");
    }
  }
}

}  // namespace
}  // namespace strata::test

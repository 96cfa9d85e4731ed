// SPDX-License-Identifier: Apache-2.0
// The loop thread's ranges as a tool receives them: both kinds of each, paired and nested, with their
// numbers.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/nvtx_markers/fake_training.hpp"
#include "tests/nvtx_markers/recording.hpp"

namespace strata::test {
namespace {

using Story = std::vector<std::string>;

TEST(LoopRanges, TellsOfAStepWithItsPhasesTwice) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    const std::uint64_t step = training.begin_step(5);
    training.phase("zero_grad", STRATA_PHASE_ZERO_GRAD);
    training.phase("forward", STRATA_PHASE_FORWARD);
    training.phase("optimizer", STRATA_PHASE_OPTIMIZER);
    training.end_step(step, 64);
  }
  EXPECT_EQ(recording.story(), (Story{"start window 5",
                                      "start step 5",
                                      "push step 5",  //
                                      "start zero_grad 5",
                                      "push zero_grad 5",
                                      "pop",
                                      "end zero_grad",  //
                                      "start micro-batch 0",
                                      "push micro-batch 0",  //
                                      "start forward 5",
                                      "push forward 5",
                                      "pop",
                                      "end forward",  //
                                      "pop",
                                      "end micro-batch",  //
                                      "start optimizer 5",
                                      "push optimizer 5",
                                      "pop",
                                      "end optimizer",  //
                                      "pop",
                                      "end step",
                                      "end window"}));
}

TEST(LoopRanges, OpensAMicroBatchForEach) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    const std::uint64_t step = training.begin_step(0);
    for (std::uint32_t i = 0; i < 3; ++i) {
      training.begin_micro_batch(i);
      training.phase("data", STRATA_PHASE_DATA);
      training.phase("gradient_sync",
                     STRATA_PHASE_GRADIENT_SYNC);  // buffers that rank 0 sends to the others
      const std::uint64_t forward = training.begin_phase("forward", STRATA_PHASE_FORWARD);
      training.phase("loss", STRATA_PHASE_LOSS);  // inside it: no micro-batch of its own
      training.end_phase("forward", STRATA_PHASE_FORWARD, forward);
      training.phase("zero_grad", STRATA_PHASE_ZERO_GRAD);
      training.phase("backward", STRATA_PHASE_BACKWARD);
    }
    training.end_step(step);
  }
  Story micro_batches;
  for (const nlohmann::json& event : recording.events("push")) {
    if (event["message"] == "micro-batch")
      micro_batches.push_back(std::to_string(event["payload"].get<int>()));
  }
  EXPECT_EQ(micro_batches, (Story{"0", "1", "2"}));
  EXPECT_EQ(recording.open(), 0);
}

TEST(LoopRanges, GivesStepTokensAndBytesWhereTheyEnd) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE);
    training.memory(STRATA_MEMORY_ALLOCATE, {STRATA_DEVICE_CPU, 0}, 0x1000, 4096);
    const std::uint64_t step = training.begin_step(9);
    training.begin_micro_batch(2);
    training.phase("forward", STRATA_PHASE_FORWARD);
    training.end_step(step, 512);
  }
  const std::vector<nlohmann::json> pops = recording.events("pop");
  ASSERT_EQ(pops.size(), 3u);
  EXPECT_EQ(
      pops[0]["end"],
      (nlohmann::json{
          {"step", 9}, {"micro_batch", 2}, {"tokens", 0}, {"allocated_bytes", 4096}, {"reserved_bytes", 0}}));
  EXPECT_EQ(pops[1]["end"]["micro_batch"], 2);
  EXPECT_EQ(pops[2]["end"]["tokens"], 512);
  EXPECT_EQ(pops[2]["end"]["step"], 9);
  const std::vector<nlohmann::json> schemas = recording.events("schema");
  ASSERT_EQ(schemas.size(), 1u);
  EXPECT_EQ(schemas[0]["bytes"], 40);
}

TEST(LoopRanges, HasOneDomainNamedCategoriesAndRegisteredStrings) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE);
    for (std::uint64_t i = 0; i < 20; ++i) {
      const std::uint64_t step = training.begin_step(i);
      training.phase("forward", STRATA_PHASE_FORWARD);
      training.phase("backward", STRATA_PHASE_BACKWARD);
      training.end_step(step);
    }
  }
  std::vector<std::string> categories;
  for (const nlohmann::json& event : recording.events("category")) categories.push_back(event["message"]);
  EXPECT_EQ(categories,
            (std::vector<std::string>{"step", "micro-batch", "phase", "layer", "memory", "window"}));
  std::multiset<std::string> strings;
  for (const nlohmann::json& event : recording.events("string")) strings.insert(event["message"]);
  EXPECT_EQ(strings.count("forward"), 1u) << "as many strings as names, however many steps";
  EXPECT_EQ(recording.events("domain_create").size(), 1u);
  EXPECT_EQ(recording.events("domain_destroy").size(), 1u);
  std::map<std::string, std::set<std::uint32_t>> colours;
  for (const nlohmann::json& event : recording.events("push")) {
    EXPECT_EQ(event["domain"], "strata");
    EXPECT_TRUE(event["registered"]) << event;
    colours[event["message"]].insert(event["colour"].get<std::uint32_t>());
  }
  EXPECT_EQ(colours["forward"].size(), 1u);
  EXPECT_NE(colours["forward"], colours["backward"]);
}

TEST(LoopRanges, LeavesAPhaseOutsideOfStepsWithoutANumber) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    training.phase("setup", STRATA_PHASE_SETUP);
  }
  EXPECT_EQ(recording.story(), (Story{"start setup", "push setup", "pop", "end setup"}));
}

TEST(LoopRanges, MarksTheWindowAloneForACapture) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}, {"capture", "nvtx"}});
    training.phase("setup", STRATA_PHASE_SETUP);
    training.end_step(training.begin_step(0, STRATA_STEP_WAIT));
    training.end_step(training.begin_step(1, STRATA_STEP_WARMUP));
    training.end_step(training.begin_step(2));
    training.end_step(training.begin_step(3));
    training.end_step(training.begin_step(4, STRATA_STEP_WAIT));
  }
  EXPECT_EQ(recording.story(), (Story{"start window 2",                                  //
                                      "start step 2", "push step 2", "pop", "end step",  //
                                      "start step 3", "push step 3", "pop", "end step",  //
                                      "end window"}));
}

TEST(LoopRanges, EndsARangeOfALoopThreadThatMoved) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}});
    const std::uint64_t step = training.begin_step(0);
    std::thread([&] { training.end_step(step); }).join();
    EXPECT_EQ(recording.events("pop").size(), 0u) << "the other thread has nothing to pop";
    EXPECT_EQ(recording.events("end").size(), 1u);
    training.end_step(training.begin_step(1));
  }
  EXPECT_EQ(recording.story(),
            (Story{"start window 0", "start step 0", "push step 0", "end step",  //
                   "start step 1", "pop", "push step 1", "pop", "end step", "end window"}));
}

TEST(LoopRanges, NamesTheLoopThread) {
  const Recording recording;
  { FakeTraining training(NVTX_MARKERS_FILE); }
  const std::vector<nlohmann::json> names = recording.events("thread_name");
  ASSERT_EQ(names.size(), 1u);
  EXPECT_EQ(names[0]["named"], gettid());
  EXPECT_EQ(names[0]["message"], "loop thread");
}

}  // namespace
}  // namespace strata::test

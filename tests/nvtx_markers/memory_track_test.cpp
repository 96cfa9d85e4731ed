// SPDX-License-Identifier: Apache-2.0
// Memory as tools see it: counters, marks, heaps.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/nvtx_markers/fake_training.hpp"
#include "tests/nvtx_markers/recording.hpp"

namespace strata::test {
namespace {

constexpr strata_device kTheCpu{STRATA_DEVICE_CPU, 0};
constexpr strata_device kTheCard{STRATA_DEVICE_CUDA, 0};

std::vector<std::string> samples(const Recording& recording) {
  std::vector<std::string> samples;
  for (const nlohmann::json& event : recording.events("sample"))
    samples.push_back(event["message"].get<std::string>() + ' ' + std::to_string(event["value"].get<long>()));
  return samples;
}

TEST(MemoryTrack, SamplesCountersOfEachDeviceAtEachChange) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE);
    training.memory(STRATA_MEMORY_ALLOCATE, kTheCpu, 0x10, 100);
    training.memory(STRATA_MEMORY_SEGMENT_ALLOCATE, kTheCard, 0x1000, 2 << 20);
    training.memory(STRATA_MEMORY_ALLOCATE, kTheCard, 0x1000, 1024, 0);
    training.memory(STRATA_MEMORY_FREE, kTheCpu, 0x77, 0);
    training.memory(STRATA_MEMORY_FREE, kTheCpu, 0x10, 0);
  }
  EXPECT_EQ(samples(recording), (std::vector<std::string>{"allocated cpu 100", "allocated cuda:0 0",
                                                          "reserved cuda:0 2097152", "allocated cuda:0 1024",
                                                          "reserved cuda:0 2097152", "allocated cpu 0"}));
  const std::vector<nlohmann::json> counters = recording.events("counter");
  ASSERT_EQ(counters.size(), 3u);
  for (const nlohmann::json& counter : counters) {
    EXPECT_EQ(counter["unit"], "B");
    EXPECT_EQ(counter["domain"], "strata");
  }
  EXPECT_TRUE(recording.events("mark").empty());
}

TEST(MemoryTrack, CanBeMarksOrNothing) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "marks"}});
    training.memory(STRATA_MEMORY_ALLOCATE, kTheCpu, 0x10, 100);
    training.phase("forward", STRATA_PHASE_FORWARD);
  }
  EXPECT_TRUE(recording.events("counter").empty());
  ASSERT_EQ(recording.events("mark").size(), 1u) << "the CPU's allocator does not say what it holds";
  EXPECT_EQ(recording.events("mark")[0]["message"], "allocated bytes");
  EXPECT_EQ(recording.events("mark")[0]["payload"], 100);

  FakeHost host(Options{{"memory", "none"}});
  host.load(NVTX_MARKERS_FILE);
  EXPECT_EQ(host.listener<strata_memory_listener>(STRATA_EXT_MEMORY), nullptr);
  host.destroy();
}

TEST(MemoryTrack, TellsOfSegmentsAsHeapsWhenAsked) {
  const Recording recording;
  {
    FakeTraining training(NVTX_MARKERS_FILE, {{"memory", "none"}, {"heaps", "true"}});
    training.memory(STRATA_MEMORY_ALLOCATE, kTheCpu, 0x10, 100);
    training.memory(STRATA_MEMORY_SEGMENT_ALLOCATE, kTheCard, 0x10000, 4096);
    training.memory(STRATA_MEMORY_ALLOCATE, kTheCard, 0x10000, 1000);
    training.memory(STRATA_MEMORY_ALLOCATE, kTheCard, 0x10800, 512);
    training.memory(STRATA_MEMORY_ALLOCATE, kTheCard, 0x20000, 512);  // in no recorded segment
    training.memory(STRATA_MEMORY_FREE, kTheCard, 0x10000, 1000);
    training.memory(STRATA_MEMORY_FREE_DEFERRED, kTheCard, 0x10000, 1000);
    training.memory(STRATA_MEMORY_FREE, kTheCard, 0x10800, 512);
    training.memory(STRATA_MEMORY_FREE_COMPLETED, kTheCard, 0x10000, 1000);
    training.memory(STRATA_MEMORY_SEGMENT_FREE, kTheCard, 0x10000, 4096);
  }
  std::vector<std::string> story;
  for (const nlohmann::json& event : recording.events()) {
    const std::string kind = event["event"];
    if (kind.starts_with("heap") || kind.starts_with("region"))
      story.push_back(kind + ' ' + std::to_string(event["address"].get<std::uint64_t>()));
  }
  EXPECT_EQ(story, (std::vector<std::string>{"heap 65536", "region 65536", "region 67584", "region_end 67584",
                                             "region_end 65536", "heap_end 65536"}));
  EXPECT_EQ(recording.events("region")[0]["bytes"], 1000);
  EXPECT_EQ(recording.events("region")[0]["heap"], 65536);
}

}  // namespace
}  // namespace strata::test

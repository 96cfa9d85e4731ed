// SPDX-License-Identifier: Apache-2.0
// Which cells share the machine.
#include "host/grid/placement.hpp"

#include <gtest/gtest.h>

#include <random>

namespace strata::test {
namespace {

using grid::Demand;
using grid::Engine;
using grid::Machine;
using grid::Placement;

Demand cores(std::int64_t count, std::uint64_t bytes = 0) {
  return {.needs = {.cores = count, .gpus = 0}, .host_bytes = bytes};
}

TEST(Placement, CountsCores) {
  Placement placement({.cores = 3, .gpus = {}, .memory_bytes = 0}, {});
  const auto first = placement.take(cores(2));
  ASSERT_TRUE(first);
  EXPECT_FALSE(placement.take(cores(2)));
  EXPECT_TRUE(placement.take(cores(1)));
  EXPECT_FALSE(placement.take(cores(1)));
  placement.give_back(*first);
  EXPECT_TRUE(placement.take(cores(2)));
}

TEST(Placement, GivesAllCoresToWhoTakesAll) {
  Placement placement({.cores = 4, .gpus = {}, .memory_bytes = 0}, {});
  ASSERT_TRUE(placement.take(cores(0)));
  EXPECT_FALSE(placement.take(cores(1)));
}

TEST(Placement, LetsSlotsReplaceCores) {
  Engine engine;
  engine.slots = 3;
  Placement placement({.cores = 1, .gpus = {}, .memory_bytes = 0}, engine);
  EXPECT_TRUE(placement.take(cores(0)) && placement.take(cores(8)) && placement.take(cores(1)));
  EXPECT_FALSE(placement.take(cores(1)));
}

TEST(Placement, CountsPredictedMemory) {
  Placement placement({.cores = 8, .gpus = {}, .memory_bytes = 100}, {});
  ASSERT_TRUE(placement.take(cores(1, 60)));
  EXPECT_FALSE(placement.take(cores(1, 50)));
  EXPECT_TRUE(placement.take(cores(1, 40)));
}

TEST(Placement, RunsWhatIsTooLargeAlone) {
  Placement placement({.cores = 2, .gpus = {}, .memory_bytes = 100}, {});
  const auto large = placement.take(cores(9, 500));
  ASSERT_TRUE(large);
  EXPECT_FALSE(placement.take(cores(1, 1)));
  placement.give_back(*large);
  EXPECT_TRUE(placement.take(cores(1, 1)));
}

TEST(Placement, GivesEachCellGpusOfItsOwn) {
  const Demand one{.needs = {.cores = 1, .gpus = 1}}, two{.needs = {.cores = 1, .gpus = 2}};
  Placement placement({.cores = 8, .gpus = {"4", "GPU-5a7c", "7"}, .memory_bytes = 0}, {});
  const auto first = placement.take(one);
  EXPECT_EQ(first->gpus, std::vector<std::string>{"4"});
  const auto second = placement.take(two);
  EXPECT_EQ(second->gpus, (std::vector<std::string>{"GPU-5a7c", "7"}));
  EXPECT_FALSE(placement.take(one));
  placement.give_back(*first);
  EXPECT_EQ(placement.take(one)->gpus, std::vector<std::string>{"4"});
}

// Names that schedulers use: numbers, UUIDs, and more than CUDA accepts.
TEST(Placement, GivesGpusTheNamesThatTheyHave) {
  using Names = std::vector<std::string>;
  ASSERT_EQ(setenv("CUDA_VISIBLE_DEVICES", "GPU-5a7c,MIG-11", 1), 0);
  EXPECT_EQ(grid::this_machine(2).gpus, (Names{"GPU-5a7c", "MIG-11"}));
  ASSERT_EQ(setenv("CUDA_VISIBLE_DEVICES", "2,3,-1,1", 1), 0);
  EXPECT_EQ(grid::this_machine(2).gpus, (Names{"2", "3"}));
  ASSERT_EQ(unsetenv("CUDA_VISIBLE_DEVICES"), 0);
  EXPECT_EQ(grid::this_machine(2).gpus, (Names{"0", "1"}));
}

TEST(Placement, PutsSeveralOnOneGpuWhereItIsSaid) {
  Engine engine;
  engine.cells_per_gpu = 2;
  const Demand one{.needs = {.cores = 1, .gpus = 1}};
  Placement placement({.cores = 8, .gpus = {"0"}, .memory_bytes = 0}, engine);
  EXPECT_TRUE(placement.take(one) && placement.take(one));
  EXPECT_FALSE(placement.take(one));
}

TEST(Placement, GivesNoGpuThatIsNotThere) {
  Placement placement({.cores = 8, .gpus = {"0"}, .memory_bytes = 0}, {});
  EXPECT_FALSE(placement.take({.needs = {.cores = 1, .gpus = 2}}));
}

// Whatever starts and ends, nothing is assigned twice, and at the end everything is free again.
TEST(Placement, NeverGivesTwice) {
  std::mt19937 random(5);
  const Machine machine{.cores = 4, .gpus = {"0", "1", "2"}, .memory_bytes = 100};
  Placement placement(machine, {});
  std::vector<grid::Place> taken;
  for (int turn = 0; turn < 5000; ++turn) {
    if (random() % 2 == 0 || taken.empty()) {
      const Demand demand{.needs = {.cores = static_cast<std::int64_t>(random() % 5),
                                    .gpus = static_cast<std::int64_t>(random() % 3)},
                          .host_bytes = random() % 80};
      if (auto place = placement.take(demand)) taken.push_back(*place);
    } else {
      const auto one = static_cast<std::ptrdiff_t>(random() % taken.size());
      placement.give_back(taken[static_cast<std::size_t>(one)]);
      taken.erase(taken.begin() + one);
    }
    std::int64_t used = 0;
    std::uint64_t bytes = 0;
    std::vector<int> on_gpu(3, 0);
    for (const grid::Place& place : taken) {
      used += place.cores;
      bytes += place.host_bytes;
      for (const std::string& gpu : place.gpus) ++on_gpu[static_cast<std::size_t>(gpu.front() - '0')];
    }
    ASSERT_EQ(placement.running(), static_cast<std::int64_t>(taken.size()));
    ASSERT_LE(used, 4);
    ASSERT_LE(bytes, 100U);
    for (const int cells : on_gpu) ASSERT_LE(cells, 1);
  }
}

}  // namespace
}  // namespace strata::test

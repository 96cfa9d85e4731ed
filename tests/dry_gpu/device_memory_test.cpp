// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/device_memory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <thread>
#include <vector>

namespace strata::dry_gpu {
namespace {

constexpr Address kBase = 0x300000000000;
constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

TEST(DeviceMemory, MapsWholePages) {
  DeviceMemory memory(kBase, 64 * kGiB, 16 * kGiB);
  const Address first = memory.allocate(20 * kMiB).value();
  EXPECT_EQ(memory.use().used_bytes, 20 * kMiB);
  ASSERT_EQ(memory.allocate(3 * kMiB), first + 20 * kMiB);
  EXPECT_EQ(memory.use().used_bytes, 24 * kMiB);
  EXPECT_TRUE(memory.free(first));
  EXPECT_EQ(memory.use().used_bytes, 4 * kMiB);
  EXPECT_EQ(memory.use().peak_bytes, 24 * kMiB);
}

TEST(DeviceMemory, SmallOnesShareAPage) {
  DeviceMemory memory(kBase, kGiB, 4 * kMiB);
  std::vector<Address> pieces;
  for (int i = 0; i < 4096; ++i) pieces.push_back(memory.allocate(1).value());
  EXPECT_EQ(memory.use().used_bytes, kPageBytes);  // of 512 bytes each
  EXPECT_EQ(pieces[1], pieces[0] + kSmallestBytes);
  pieces.push_back(memory.allocate(512).value());
  EXPECT_EQ(memory.use().used_bytes, 2 * kPageBytes);
  EXPECT_FALSE(memory.allocate(1024).has_value()) << "another size needs a page of its own";
  for (const Address piece : pieces) EXPECT_TRUE(memory.free(piece));
  EXPECT_EQ(memory.use().used_bytes, 0u);
}

TEST(DeviceMemory, IsFullWhenItIsFull) {
  DeviceMemory memory(kBase, kGiB, 10 * kMiB);
  EXPECT_FALSE(memory.allocate(12 * kMiB).has_value());
  EXPECT_FALSE(memory.allocate(~std::uint64_t{0}).has_value());
  EXPECT_FALSE(memory.allocate(0).has_value());
  ASSERT_TRUE(memory.allocate(10 * kMiB).has_value());
  EXPECT_FALSE(memory.allocate(1).has_value());
  EXPECT_FALSE(memory.take(1));
  EXPECT_EQ(memory.use().used_bytes, 10 * kMiB);
}

TEST(DeviceMemory, GivesTheLowestOfTheSameSizeAgain) {
  DeviceMemory memory(kBase, kGiB, kGiB);
  const Address first = memory.allocate(2 * kMiB).value();
  memory.allocate(2 * kMiB);
  const Address third = memory.allocate(2 * kMiB).value();
  memory.allocate(4 * kMiB);
  EXPECT_TRUE(memory.free(first));
  EXPECT_TRUE(memory.free(third));
  EXPECT_EQ(memory.allocate(2 * kMiB), first);
  EXPECT_EQ(memory.allocate(2 * kMiB), third);
}

TEST(DeviceMemory, FreesNothingTwiceAndNothingOfOthers) {
  DeviceMemory memory(kBase, kGiB, kGiB);
  const Address address = memory.allocate(2 * kMiB).value();
  EXPECT_FALSE(memory.free(address + 512));
  EXPECT_FALSE(memory.free(0));
  EXPECT_TRUE(memory.free(address));
  EXPECT_FALSE(memory.free(address));
}

TEST(DeviceMemory, FindsWhatAnAddressLiesIn) {
  DeviceMemory memory(kBase, kGiB, kGiB);
  const Address address = memory.allocate(3 * kMiB).value();
  ASSERT_TRUE(memory.find(address + 4 * kMiB - 1).has_value());
  EXPECT_EQ(memory.find(address + kMiB)->address, address);
  EXPECT_FALSE(memory.find(address + 4 * kMiB).has_value());
  EXPECT_FALSE(memory.find(address - 1).has_value());
}

// A span no larger than the memory: addresses must be joined before a large piece fits.
TEST(DeviceMemory, JoinsFreeNeighboursBeforeItRunsOutOfAddresses) {
  DeviceMemory memory(kBase, 8 * kMiB, 8 * kMiB);
  std::vector<Address> pages;
  for (int i = 0; i < 4; ++i) pages.push_back(memory.allocate(2 * kMiB).value());
  memory.free(pages[1]);
  memory.free(pages[2]);
  EXPECT_EQ(memory.allocate(4 * kMiB), pages[2]);
  memory.free(pages[0]);
  memory.free(pages[3]);
  EXPECT_FALSE(memory.allocate(4 * kMiB).has_value()) << "4 MiB are free, in two pieces";
  EXPECT_EQ(memory.use().used_bytes, 4 * kMiB) << "a failed allocation takes nothing";
}

TEST(DeviceMemory, MemoryWithoutAddressesCounts) {
  DeviceMemory memory(kBase, kGiB, 100 * kMiB);
  EXPECT_TRUE(memory.take(90 * kMiB));
  EXPECT_FALSE(memory.allocate(12 * kMiB).has_value());
  memory.give_back(90 * kMiB);
  EXPECT_TRUE(memory.allocate(12 * kMiB).has_value());
}

TEST(DeviceMemory, APartLeavesAddressesButNoMemory) {
  DeviceMemory memory(kBase, kGiB, 100 * kMiB);
  const Address before = memory.allocate(20 * kMiB).value();
  EXPECT_TRUE(memory.take_part(70 * kMiB, 16 * kMiB));
  EXPECT_EQ(memory.use().used_bytes, 90 * kMiB);
  EXPECT_LT(memory.allocate(8 * kMiB), before) << "in what the part left";
  EXPECT_FALSE(memory.take_part(4 * kMiB, 0));
  EXPECT_EQ(memory.allocate(2 * kMiB).value_or(0) % kPageBytes, 0u);
  memory.give_back_part(70 * kMiB);
  EXPECT_EQ(memory.use().used_bytes, 30 * kMiB);
}

// As in a replay: the parts are taken where the recorded program took them.
TEST(DeviceMemory, APartIsTakenAfterSoManyCalls) {
  DeviceMemory touched(kBase, kGiB, kGiB);
  DeviceMemory planned(kBase, kGiB, kGiB);
  planned.take_part_after(2, 64 * kMiB, 16 * kMiB);
  const auto both = [&](std::uint64_t bytes) {
    const auto address = touched.allocate(bytes);
    EXPECT_EQ(planned.allocate(bytes), address);
    return address.value();
  };
  const Address first = both(20 * kMiB);
  EXPECT_EQ(planned.use().used_bytes, 20 * kMiB);
  EXPECT_TRUE(touched.free(first) && planned.free(first));
  EXPECT_EQ(touched.calls(), 2u);
  EXPECT_TRUE(touched.take_part(64 * kMiB, 16 * kMiB));
  EXPECT_EQ(planned.use().used_bytes, 64 * kMiB);
  for (const std::uint64_t bytes : {2 * kMiB, 20 * kMiB, 14 * kMiB}) both(bytes);
  EXPECT_EQ(planned.use().used_bytes, touched.use().used_bytes);
}

// Live blocks never overlap, their sum is the used memory, and the same calls give the same addresses.
TEST(DeviceMemory, HoldsItsPromisesUnderRandomUse) {
  const auto run = [](unsigned seed) {
    std::mt19937_64 random(seed);
    DeviceMemory memory(kBase, 256 * kMiB, 128 * kMiB);
    std::map<Address, std::uint64_t> live;
    std::vector<Address> given;
    for (int i = 0; i < 20000; ++i) {
      if (random() % 2 == 0 || live.empty()) {
        const std::uint64_t bytes = 1 + random() % (random() % 4 == 0 ? 12 * kMiB : 4096);
        const auto address = memory.allocate(bytes);
        given.push_back(address.value_or(0));
        if (!address) continue;
        const auto after = live.lower_bound(*address);
        EXPECT_TRUE(after == live.end() || *address + bytes <= after->first);
        EXPECT_TRUE(after == live.begin() || std::prev(after)->first + std::prev(after)->second <= *address);
        live.emplace(*address, bytes);
      } else {
        auto victim = live.lower_bound(kBase + random() % (128 * kMiB));
        if (victim == live.end()) victim = live.begin();
        EXPECT_TRUE(memory.free(victim->first));
        live.erase(victim);
      }
    }
    for (const auto& [address, bytes] : live) EXPECT_TRUE(memory.free(address));
    EXPECT_EQ(memory.use().used_bytes, 0u);
    return given;
  };
  for (unsigned seed = 0; seed < 5; ++seed) EXPECT_EQ(run(seed), run(seed));
}

TEST(DeviceMemory, IsForManyThreads) {
  DeviceMemory memory(kBase, 64 * kGiB, 32 * kGiB);
  std::vector<std::thread> threads;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&memory, i] {
      for (int k = 0; k < 2000; ++k) {
        const auto address = memory.allocate(static_cast<std::uint64_t>(1 + (i * 7919 + k * 31) % 5000000));
        ASSERT_TRUE(address && memory.find(*address) && memory.free(*address));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(memory.use().used_bytes, 0u);
}

}  // namespace
}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// Which stacks are new, and which allocations get one.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include "plugins/allocator_tracer/stack_choice.hpp"
#include "plugins/allocator_tracer/stack_set.hpp"

namespace strata::allocator_tracer {
namespace {

using Found = StackSet::Found;

TEST(StackHash, TellsOrderLengthAndEveryAddressApart) {
  std::set<std::uint64_t> hashes;
  std::size_t stacks = 0;
  std::vector<std::uintptr_t> addresses;
  for (std::uintptr_t depth = 0; depth < 200; ++depth) {
    hashes.insert(hash_of(addresses));
    ++stacks;
    for (std::uintptr_t& address : addresses) {  // one bit of one address
      address ^= 1;
      hashes.insert(hash_of(addresses));
      ++stacks;
      address ^= 1;
    }
    addresses.push_back(0x7f00'0000'1000 + depth * 16);
  }
  EXPECT_EQ(hashes.size(), stacks);
  EXPECT_NE(hash_of(std::array<std::uintptr_t, 2>{1, 2}), hash_of(std::array<std::uintptr_t, 2>{2, 1}));
  EXPECT_EQ(hashes.count(0) + hashes.count(1), 0u);
}

TEST(StackSet, SaysNewOnce) {
  StackSet set(1024);
  EXPECT_EQ(set.insert(77), Found::kNew);
  EXPECT_EQ(set.insert(77), Found::kKnown);
  EXPECT_EQ(set.insert(77 + 1024), Found::kNew);  // the same slot
  EXPECT_EQ(set.insert(77), Found::kKnown);
}

TEST(StackSet, ForgetsOneThatCouldNotBeWritten) {
  StackSet set(1024);
  set.insert(77);
  set.insert(77 + 1024);
  set.forget(77);
  EXPECT_EQ(set.insert(77 + 1024), Found::kKnown);  // after the slot that was freed
  EXPECT_EQ(set.insert(77), Found::kNew);
  EXPECT_EQ(set.insert(77), Found::kKnown);
}

TEST(StackSet, SaysWhenItIsFull) {
  StackSet set(128);
  for (std::uint64_t hash = 2; hash < 130; ++hash) EXPECT_EQ(set.insert(hash), Found::kNew);
  EXPECT_EQ(set.insert(1000), Found::kFull);
  EXPECT_EQ(set.insert(5), Found::kKnown);
}

TEST(StackSet, OneThreadOfManyIsToldNew) {
  constexpr std::uint64_t kHashes = 20'000;
  StackSet set(1 << 16);
  std::atomic<std::uint64_t> reported_new{0};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (std::uint64_t hash = 2; hash < kHashes + 2; ++hash)
        if (set.insert(hash * 0x9E3779B97F4A7C15u) == Found::kNew) ++reported_new;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(reported_new, kHashes);
}

TEST(StackChoice, OffByDefault) {
  const StackChoice choice(-1, 0);
  EXPECT_FALSE(choice.chooses_any());
  EXPECT_FALSE(choice.chance_if_chosen(1, std::uint64_t{1} << 40));
}

TEST(StackChoice, EverythingFromASizeOn) {
  const StackChoice choice(1, 0);
  EXPECT_TRUE(choice.chooses_any());
  EXPECT_FALSE(choice.chance_if_chosen(1, (1 << 20) - 1));
  EXPECT_EQ(choice.chance_if_chosen(1, 1 << 20), 1.0);
  EXPECT_EQ(StackChoice(0, 0).chance_if_chosen(1, 0), 1.0);
}

// Sums of bytes / chance over the chosen allocations: unbiased, with the error that the contract
// states.
TEST(StackChoice, EstimatesAllBytes) {
  constexpr double kSampleBytes = 1 << 20;
  const StackChoice choice(-1, 1);
  double squared_errors = 0, errors = 0;
  constexpr std::uint64_t kRounds = 300, kAllocations = 4000;
  double total = 0;
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    double estimate = 0;
    total = 0;
    for (std::uint64_t number = 0; number < kAllocations; ++number) {
      const std::uint64_t bytes = 512u << (number % 14);  // 512 B to 4 MiB
      total += static_cast<double>(bytes);
      if (const auto chance = choice.chance_if_chosen(round * kAllocations + number, bytes))
        estimate += static_cast<double>(bytes) / *chance;
    }
    errors += (estimate - total) / total;
    squared_errors += (estimate - total) * (estimate - total);
  }
  const double bound = std::sqrt(kSampleBytes * total);
  const double standard_error = std::sqrt(squared_errors / kRounds);
  EXPECT_LT(standard_error, bound * 1.1);
  EXPECT_GT(standard_error, bound * 0.05);
  EXPECT_LT(std::abs(errors / kRounds), 4 * bound / total / std::sqrt(double{kRounds}));
}

TEST(StackChoice, ChoosesAlikeForTheSameSequence) {
  const StackChoice one(-1, 1), other(-1, 1);
  for (std::uint64_t sequence = 0; sequence < 5000; ++sequence)
    EXPECT_EQ(one.chance_if_chosen(sequence, 100'000), other.chance_if_chosen(sequence, 100'000));
}

}  // namespace
}  // namespace strata::allocator_tracer

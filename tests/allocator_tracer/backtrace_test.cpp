// SPDX-License-Identifier: Apache-2.0
// The fast unwinder, compared with the C++ runtime's own, in every frame layout that compilers produce.
#include <gtest/gtest.h>

#include <alloca.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "plugins/allocator_tracer/backtrace.hpp"
#include "tests/allocator_tracer/heap_count.hpp"

namespace strata::allocator_tracer {
namespace {

using Addresses = std::vector<std::uintptr_t>;

Unwinder& unwinder() {
  static Unwinder unwinder;
  return unwinder;
}

struct Pair {
  Addresses quick, slow;
};

// Both are taken in one function, but at different addresses: the innermost frame is left out.
[[gnu::noinline]] Pair take_both() {
  std::array<std::uintptr_t, kMostFrames> quick, slow;
  const std::size_t quick_count = unwinder().take(quick);
  const std::size_t slow_count = unwind_with_libgcc(slow);
  return {Addresses(quick.begin() + 1, quick.begin() + static_cast<std::ptrdiff_t>(quick_count)),
          Addresses(slow.begin() + 1, slow.begin() + static_cast<std::ptrdiff_t>(slow_count))};
}

void expect_alike(const Pair& pair, std::size_t at_least) {
  EXPECT_EQ(pair.quick, pair.slow);
  EXPECT_GE(pair.quick.size(), at_least);
}

[[gnu::noinline]] Pair recurse(int frames) {
  Pair pair = frames == 0 ? take_both() : recurse(frames - 1);
  asm volatile("" ::: "memory");  // no tail call
  return pair;
}

TEST(Backtrace, OfPlainFrames) {
  expect_alike(recurse(0), 3);
  expect_alike(recurse(40), 43);
  expect_alike(recurse(40), 43);  // from the cache
}

[[gnu::noinline]] Pair with_variable_frame(std::size_t bytes) {
  auto* const memory = static_cast<volatile unsigned char*>(alloca(bytes));
  memory[bytes - 1] = 1;
  Pair pair = recurse(3);
  memory[0] = 2;
  return pair;
}

TEST(Backtrace, OfFramesWhoseSizeVaries) {
  for (const std::size_t bytes : {16u, 4096u, 100'000u, 17u}) expect_alike(with_variable_frame(bytes), 6);
}

[[gnu::noinline]] Pair with_aligned_frame(int value) {
  alignas(128) volatile int aligned[32] = {};
  aligned[0] = value;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&aligned[0]) % 128, 0u);
  Pair pair = recurse(2);
  aligned[1] = value;
  return pair;
}

// As in kernels with wide vectors, and with more arguments than registers.
[[gnu::noinline]] Pair with_aligned_frame_and_arguments(int a, int b, int c, int d, int e, int f, int g,
                                                        std::size_t bytes) {
  alignas(64) volatile int aligned[16] = {a, b, c, d, e, f, g};
  auto* const memory = static_cast<volatile unsigned char*>(alloca(bytes));
  memory[0] = 1;
  Pair pair = with_aligned_frame(aligned[6]);
  aligned[1] = memory[0];
  return pair;
}

TEST(Backtrace, OfFramesThatAlignTheStack) {
  expect_alike(with_aligned_frame(1), 4);
  expect_alike(with_aligned_frame_and_arguments(1, 2, 3, 4, 5, 6, 7, 999), 5);
}

[[gnu::noinline]] Pair with_large_frame() {
  [[maybe_unused]] volatile char large[300'000];
  large[0] = 1;
  Pair pair = recurse(1);
  large[1] = 2;
  return pair;
}

TEST(Backtrace, OfFramesTooLargeForTheCache) {
  expect_alike(with_large_frame(), 4);
  expect_alike(with_large_frame(), 4);
}

// Frames of the C library, with a callback from inside it.
Pair sorted_pair;
int compare(const void* left, const void* right) {
  sorted_pair = take_both();
  return static_cast<int>(static_cast<const char*>(left) - static_cast<const char*>(right));
}

TEST(Backtrace, ThroughTheCLibrary) {
  std::array<int, 2> numbers{2, 1};
  std::qsort(numbers.data(), numbers.size(), sizeof(int), &compare);
  expect_alike(sorted_pair, 4);
}

TEST(Backtrace, ThroughFunctionObjectsAndHandlers) {
  const std::function<Pair(int)> object = [](int frames) {
    try {
      throw frames;
    } catch (int caught) {
      return recurse(caught);
    }
  };
  expect_alike(object(2), 5);
}

TEST(Backtrace, EndsWhereAThreadBegins) {
  Pair pair;
  std::thread([&] { pair = recurse(5); }).join();
  expect_alike(pair, 8);
}

TEST(Backtrace, OfManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::array<int, 4> alike{};
  for (int& count : alike) {
    threads.emplace_back([&count] {
      for (int round = 0; round < 2000; ++round) {
        const Pair pair = recurse(round % 60);
        if (pair.quick == pair.slow) ++count;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(alike, (std::array<int, 4>{2000, 2000, 2000, 2000}));
}

[[gnu::noinline]] std::size_t take_few(std::span<std::uintptr_t> addresses) {
  return unwinder().take(addresses);
}

TEST(Backtrace, KeepsTheInnermostFrames) {
  std::array<std::uintptr_t, 3> few{};
  std::array<std::uintptr_t, kMostFrames> all{};
  std::vector<std::size_t> counts;
  for (const std::span<std::uintptr_t> room : std::vector<std::span<std::uintptr_t>>{few, all})
    counts.push_back(take_few(room));  // from one place, so with one return address
  EXPECT_EQ(counts.at(0), 3u);
  EXPECT_GT(counts.at(1), 3u);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), all.begin()));
  EXPECT_NE(few[2], 0u);
  EXPECT_EQ(take_few({}), 0u);
}

TEST(Backtrace, TakesNothingFromTheHeap) {
  std::array<std::uintptr_t, kMostFrames> addresses;
  take_few(addresses);
  const std::uint64_t before = test::heap_allocations();
  for (int round = 0; round < 100; ++round) take_few(addresses);
  EXPECT_EQ(test::heap_allocations() - before, 0u);
}

#if defined(__x86_64__)
TEST(UnwindRules, AreKnownForNearlyEveryFrame) {
  const Pair pair = recurse(3);
  ASSERT_FALSE(pair.quick.empty());
  for (const std::uintptr_t address : pair.quick) EXPECT_FALSE(find_unwind_rule(address).is_unknown);
}

TEST(UnwindRules, OfWhatIsNoCode) {
  static const std::array<char, 64> data{};
  const FoundRule found = find_unwind_rule(reinterpret_cast<std::uintptr_t>(&data));
  EXPECT_FALSE(found.rule);
  EXPECT_FALSE(found.is_unknown);
}

// The cached rules of an unloaded library must not be used for a library loaded at the same address.
TEST(UnwindRuleCache, LooksAgainWhereTheCodeHasChanged) {
  static auto& cache = *new UnwindRuleCache;
  const std::uintptr_t known = recurse(0).quick.front();
  alignas(16) static std::array<unsigned char, 64> code{};
  const auto address = reinterpret_cast<std::uintptr_t>(code.data()) + 32;
  EXPECT_TRUE(cache.find(known).rule);
  EXPECT_TRUE(cache.find(known).rule == find_unwind_rule(known).rule);
  EXPECT_FALSE(cache.find(address).rule);
  code[30] = 0xe8;
  EXPECT_FALSE(cache.find(address).rule);
}
#endif

}  // namespace
}  // namespace strata::allocator_tracer

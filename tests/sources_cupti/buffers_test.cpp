// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/buffers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

namespace strata::cupti {
namespace {

constexpr std::size_t kBytes = 4096;

std::uint8_t* request(Buffers& buffers) {
  std::uint8_t* memory = nullptr;
  std::size_t bytes = 0, most_records = 1;
  buffers.request(&memory, &bytes, &most_records);
  EXPECT_EQ(most_records, 0u) << "as many as fit";
  EXPECT_EQ(bytes, memory == nullptr ? 0u : kBytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 8, 0u);
  return memory;
}

bool is_zero(const std::uint8_t* memory) {
  return std::all_of(memory, memory + kBytes, [](std::uint8_t byte) { return byte == 0; });
}

TEST(CuptiBuffers, ThereAreNoMoreThanWereAllowed) {
  Buffers buffers;
  buffers.configure(kBytes, 2);
  buffers.open();
  std::uint8_t* const first = request(buffers);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(request(buffers), nullptr);
  EXPECT_EQ(request(buffers), nullptr);
  EXPECT_EQ(buffers.take_counts().refused, 1u);
  buffers.complete(first, 0);
  ASSERT_TRUE(buffers.next());
  buffers.close();
  EXPECT_FALSE(buffers.next()) << "and gives the first one back";
  EXPECT_EQ(request(buffers), first);
}

TEST(CuptiBuffers, ABufferIsZeroWhenItIsHandedOutAgain) {
  Buffers buffers;
  buffers.configure(kBytes, 1);
  buffers.open();
  for (int round = 0; round < 3; ++round) {
    std::uint8_t* const memory = request(buffers);
    ASSERT_NE(memory, nullptr);
    EXPECT_TRUE(is_zero(memory));
    std::memset(memory, 0xff, 1000);
    buffers.complete(memory, 1000);
    const auto records = buffers.next();
    ASSERT_TRUE(records);
    EXPECT_EQ(records->size(), 1000u);
    buffers.close();
    EXPECT_FALSE(buffers.next());
    buffers.open();
  }
}

TEST(CuptiBuffers, WhatIsCompletedWhileNobodyRecordsIsThrownAway) {
  Buffers buffers;
  buffers.configure(kBytes, 1);
  std::uint8_t* const memory = request(buffers);
  std::memset(memory, 0xff, 100);
  buffers.complete(memory, 100);
  EXPECT_EQ(buffers.take_counts().late, 1u);
  EXPECT_TRUE(is_zero(request(buffers)));
}

TEST(CuptiBuffers, WhatIsNoneOfOursIsLeftAlone) {
  Buffers buffers;
  buffers.configure(kBytes, 1);
  buffers.open();
  std::uint8_t other[16] = {1};
  buffers.complete(other, sizeof other);
  EXPECT_EQ(buffers.take_counts().completed, 0u);
  // Nothing beyond the available bytes is read.
  buffers.complete(request(buffers), 2 * kBytes);
  EXPECT_EQ(buffers.next()->size(), kBytes);
}

TEST(CuptiBuffers, ThreadsFillThemWhileOneReads) {
  Buffers buffers;
  buffers.configure(kBytes, 8);
  buffers.open();
  std::atomic<std::uint64_t> written = 0;
  std::uint64_t read = 0;
  std::thread reader([&] {
    while (const auto records = buffers.next()) read += records->size();
  });
  std::vector<std::thread> writers;
  for (int thread = 0; thread < 6; ++thread) {
    writers.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        std::uint8_t* memory = nullptr;
        std::size_t bytes = 0, most_records = 0;
        buffers.request(&memory, &bytes, &most_records);
        if (memory == nullptr) continue;
        EXPECT_EQ(*memory, 0);
        std::memset(memory, i, 64);
        written += 64;
        buffers.complete(memory, 64);
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_TRUE(buffers.wait_until_taken(std::chrono::steady_clock::now() + std::chrono::seconds(60)));
  buffers.close();
  reader.join();
  EXPECT_EQ(read, written);
  EXPECT_GT(read, 0u);
}

}  // namespace
}  // namespace strata::cupti

// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/origins.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace strata::cupti {
namespace {

TEST(Origins, AreFoundByTheirNumber) {
  Origins origins;
  const std::uint64_t first = origins.note({10, 20, 30});
  const std::uint64_t second = origins.note({11, 21, 31});
  EXPECT_EQ(origins.find(first), (Origin{10, 20, 30}));
  EXPECT_EQ(origins.find(second), (Origin{11, 21, 31}));
  EXPECT_EQ(origins.find(0), std::nullopt);
  EXPECT_EQ(origins.find(origins.next_number()), std::nullopt) << "of nothing yet";
}

TEST(Origins, OldOnesAreForgottenRatherThanMistaken) {
  Origins origins;
  const std::uint64_t first = origins.note({1, 2, 3});
  for (std::uint64_t i = 0; i < Origins::kSlots; ++i) origins.note({100 + i, 0, 0});
  EXPECT_EQ(origins.find(first), std::nullopt);
  EXPECT_EQ(origins.find(first + 1), (Origin{100, 0, 0}));
}

// Every field of an origin has the same number, so that a mix of two origins would be detected.
TEST(Origins, ThreadsNoteWhileOneLooksUp) {
  Origins origins;
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (std::uint32_t i = 1; i <= 50'000; ++i) origins.note({i, i, i});
    });
  }
  std::uint64_t found = 0;
  std::thread reader([&] {
    while (!is_over) {
      const auto origin = origins.find(origins.next_number() - 1);
      if (!origin) continue;
      ++found;
      EXPECT_EQ(origin->op, origin->phase);
      EXPECT_EQ(origin->op, origin->module);
    }
  });
  for (std::thread& thread : threads) thread.join();
  const std::uint64_t last = origins.next_number() - 1;
  EXPECT_EQ(last, 200'000u);
  EXPECT_NE(origins.find(last), std::nullopt);
  is_over = true;
  reader.join();
}

}  // namespace
}  // namespace strata::cupti

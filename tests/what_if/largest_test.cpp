// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/largest.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace strata::what_if {
namespace {

constexpr std::uint64_t kCapacity = 80'000'000'000;

using Need = std::function<double(std::int64_t)>;

Found search(const Need& need, const Range& range, std::int64_t start = 1) {
  return find_largest(range, kCapacity, start, [&](std::int64_t value) {
    const double bytes = need(value);
    const bool fits = bytes <= static_cast<double>(kCapacity);
    return Trial{value, fits, fits ? static_cast<std::uint64_t>(bytes) : 0};
  });
}

std::int64_t by_trying_all(const Need& need, const Range& range) {
  std::int64_t best = 0;
  for (std::int64_t value = range.lowest; value <= range.highest; ++value) {
    if (value % range.stride == 0 && need(value) <= static_cast<double>(kCapacity)) best = value;
  }
  return best;
}

TEST(FindLargest, IsWhatTryingAllOfThemFinds) {
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> share(0.0, 1.1), power(0.5, 2.2);
  std::uniform_int_distribution<std::int64_t> any(1, 3000);
  for (int round = 0; round < 400; ++round) {
    const double base = share(generator) * kCapacity, exponent = power(generator);
    const double scale = kCapacity / std::pow(static_cast<double>(any(generator)), exponent);
    const Need need = [=](std::int64_t value) {
      return base + scale * std::pow(static_cast<double>(value), exponent);
    };
    const std::int64_t stride = 1 + any(generator) % 16;
    const Range range{any(generator) % 40 + 1, 2500 + any(generator), stride};
    const Found found = search(need, range, any(generator));
    const std::int64_t expected = by_trying_all(need, range);
    ASSERT_EQ(found.best ? found.best->value : 0, expected);
    if (found.next) {
      EXPECT_GT(need(*found.next), static_cast<double>(kCapacity));
      if (found.best) {
        EXPECT_EQ(*found.next, found.best->value + stride);
      }
    } else {
      EXPECT_GT(expected + stride, range.highest);
    }
    EXPECT_LE(found.tried.size(), 26u) << "of up to 5,500 values";
  }
}

TEST(FindLargest, TriesFewWhereMemoryGrowsAsALineDoes) {
  for (const std::int64_t edge : {1, 7, 24, 100, 1371, 900'000}) {
    const double base = 54e9;
    const double each = (kCapacity - base) / (static_cast<double>(edge) + 0.5);
    const Found found = search([=](std::int64_t value) { return base + each * static_cast<double>(value); },
                               {1, 1'000'000, 1});
    ASSERT_TRUE(found.best);
    EXPECT_EQ(found.best->value, edge);
    EXPECT_LE(found.tried.size(), 5u) << edge;
  }
}

TEST(FindLargest, NotEvenTheLowest) {
  const Found found = search([](std::int64_t) { return 1e12; }, {8, 4096, 8}, 512);
  EXPECT_FALSE(found.best);
  EXPECT_EQ(found.next, 8);
}

TEST(FindLargest, UpToTheHighest) {
  const Found found = search([](std::int64_t) { return 1e9; }, {1, 1000, 1});
  ASSERT_TRUE(found.best);
  EXPECT_EQ(found.best->value, 1000);
  EXPECT_FALSE(found.next);
}

TEST(FindLargest, EndsWhereMoreCanNeedLess) {
  // Every 97th value needs less, as if another kernel were used.
  const Need need = [](std::int64_t value) { return 1e9 * static_cast<double>(value % 97); };
  const Found found = search(need, {1, 10'000, 1}, 50);
  ASSERT_TRUE(found.best && found.next);
  EXPECT_LE(need(found.best->value), static_cast<double>(kCapacity));
  EXPECT_GT(need(*found.next), static_cast<double>(kCapacity));
}

TEST(FindLargest, ARangeWithoutAValueIsRefused) {
  EXPECT_THROW(search([](std::int64_t) { return 0; }, {9, 15, 8}, 1), std::invalid_argument);
}

TEST(FindFewest, IsTheFirstThatFitsAndTriesTheOneBelow) {
  const std::vector<std::int64_t> worlds{8, 16, 32, 64, 128, 256, 512};
  for (std::size_t first = 0; first <= worlds.size(); ++first) {
    const Found found = find_fewest(worlds, [&](std::int64_t value) {
      const bool fits = first < worlds.size() && value >= worlds[first];
      return Trial{value, fits, fits ? 1U : 0U};
    });
    EXPECT_LE(found.tried.size(), 3U);
    EXPECT_EQ(found.best ? found.best->value : 0, first < worlds.size() ? worlds[first] : 0);
    EXPECT_EQ(found.next.value_or(0), first > 0 ? worlds[first - 1] : 0);
  }
  EXPECT_THROW(find_fewest({},
                           [](std::int64_t value) {
                             return Trial{value, true, 1};
                           }),
               std::invalid_argument);
}

}  // namespace
}  // namespace strata::what_if

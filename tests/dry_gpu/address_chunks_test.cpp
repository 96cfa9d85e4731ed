// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/address_chunks.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

namespace strata::dry_gpu {
namespace {

constexpr std::uint64_t kMebi = std::uint64_t{1} << 20;
constexpr Address kSpanBegin = 0x300000000000;
constexpr std::uint64_t kWholeSpan = std::uint64_t{1} << 40;

// Recorded calls of cudaMalloc and cudaFree on an H200: each address relative to the first chunk's upper
// end. The recording process was already running: two ranges were left in its chunks, 416 MiB and 6 MiB.
TEST(AddressChunks, GiveEveryAddressThatADriverGave) {
  const auto recorded = nlohmann::json::parse(std::ifstream(STRATA_CARD_DATA "/malloc.json"));
  // Addresses in that process, which starts its next chunk below kTop.
  constexpr Address kTop = 0x7f9e00000000 + 2432 * kMebi;
  constexpr Address kLarge = 0x7f9e00000000 + 2976 * kMebi, kSmall = 0x7f9e00000000 + 2938 * kMebi;
  std::size_t compared = 0;
  for (const auto& sequence : recorded) {
    AddressChunks chunks(kSpanBegin, kWholeSpan);
    chunks.add_lasting(416 * kMebi);
    const Address large = chunks.allocate(416 * kMebi).value();
    chunks.free(large, 416 * kMebi);
    chunks.add_lasting(6 * kMebi);
    const Address small = chunks.allocate(6 * kMebi).value();
    chunks.free(small, 6 * kMebi);
    const Address top = small / kChunkBytes * kChunkBytes;  // the rest of the span
    const auto place = [&](Address address) {
      if (address >= kLarge) return address - kLarge + large;
      if (address >= kSmall) return address - kSmall + small;
      return address - kTop + top;
    };
    std::map<std::uint64_t, std::pair<Address, std::uint64_t>> live;
    for (const auto& call : sequence["calls"]) {
      const auto number = call[1].get<std::uint64_t>();
      if (call[0] == "f") {
        const auto [address, bytes] = live.at(number);
        chunks.free(address, bytes);
        live.erase(number);
        continue;
      }
      const auto bytes = call[2].get<std::uint64_t>();
      const auto address = chunks.allocate(bytes);
      ASSERT_EQ(address, place(call[3].get<Address>()))
          << sequence["name"] << ", allocation " << number << " of " << bytes / kMebi << " MiB";
      live[number] = {*address, bytes};
      ++compared;
    }
  }
  EXPECT_EQ(compared, 196u);
}

TEST(AddressChunks, GoDownFromTheEndOfTheSpan) {
  AddressChunks chunks(kSpanBegin, kWholeSpan);
  EXPECT_EQ(chunks.allocate(2 * kMebi), kSpanBegin + kWholeSpan - kChunkBytes);
  EXPECT_EQ(chunks.allocate(20 * kMebi), kSpanBegin + kWholeSpan - kChunkBytes + 2 * kMebi);
  EXPECT_EQ(chunks.allocate(516 * kMebi), kSpanBegin + kWholeSpan - kChunkBytes - 544 * kMebi);
}

TEST(AddressChunks, TheSmallestHoleOfTheLatestChunkThatHasOne) {
  AddressChunks chunks(kSpanBegin, kWholeSpan);
  const Address older = chunks.allocate(60 * kMebi).value();
  const Address chunk = chunks.allocate(20 * kMebi).value();  // its own chunk: the older has 4 MiB left
  ASSERT_EQ(chunks.allocate(4 * kMebi), chunk + 20 * kMebi);
  ASSERT_EQ(chunks.allocate(8 * kMebi), chunk + 24 * kMebi);
  chunks.free(chunk, 20 * kMebi);
  chunks.free(chunk + 24 * kMebi, 8 * kMebi);
  EXPECT_EQ(chunks.allocate(2 * kMebi), chunk + 24 * kMebi) << "the hole of 8 MiB, not the lower one of 20";
  EXPECT_EQ(chunks.allocate(20 * kMebi), chunk);
  EXPECT_EQ(chunks.allocate(6 * kMebi), chunk + 26 * kMebi);
  EXPECT_EQ(chunks.allocate(4 * kMebi), older + 60 * kMebi) << "nothing is left of the latest";
}

TEST(AddressChunks, AnEmptyChunkIsGivenBackAndALastingOneIsNot) {
  AddressChunks chunks(kSpanBegin, kWholeSpan);
  const Address first = chunks.allocate(64 * kMebi).value();
  chunks.add_lasting(16 * kMebi);
  const Address hole = chunks.allocate(16 * kMebi).value();
  const Address last = chunks.allocate(64 * kMebi).value();
  chunks.free(first, 64 * kMebi);
  EXPECT_EQ(chunks.allocate(64 * kMebi), last - 64 * kMebi) << "a gap that is just as large is not used";
  chunks.free(hole, 16 * kMebi);
  EXPECT_EQ(chunks.allocate(16 * kMebi), hole);
  EXPECT_EQ(chunks.allocate(2 * kMebi), first + 32 * kMebi) << "but one that is larger";
}

TEST(AddressChunks, NothingIsLeftUnusedBeforeASpanIsFull) {
  AddressChunks chunks(kSpanBegin, 96 * kMebi);
  const Address first = chunks.allocate(40 * kMebi).value();
  EXPECT_FALSE(chunks.allocate(34 * kMebi).has_value());
  EXPECT_EQ(chunks.allocate(32 * kMebi), kSpanBegin);
  EXPECT_EQ(chunks.allocate(24 * kMebi), first + 40 * kMebi);
  EXPECT_FALSE(chunks.allocate(2 * kMebi).has_value());
  AddressChunks few(kSpanBegin, 8 * kMebi);
  EXPECT_EQ(few.allocate(6 * kMebi), kSpanBegin + 2 * kMebi) << "no room for whole 32 MiB";
  EXPECT_EQ(few.allocate(2 * kMebi), kSpanBegin);
}

// Live ranges never overlap, all are aligned and within the span, and freed ranges can be allocated again as
// one.
TEST(AddressChunks, HoldTheirPromisesUnderRandomUse) {
  for (unsigned seed = 0; seed < 8; ++seed) {
    std::mt19937_64 random(seed);
    constexpr std::uint64_t kSmallSpan = std::uint64_t{4096} << 20;
    AddressChunks chunks(kSpanBegin, kSmallSpan);
    std::map<Address, std::uint64_t> live;
    std::uint64_t live_bytes = 0;
    for (int step = 0; step < 20'000; ++step) {
      if (random() % 5 < 3 || live.empty()) {
        const std::uint64_t bytes = (1 + random() % (random() % 4 == 0 ? 300 : 12)) * 2 * kMebi;
        const auto address = chunks.allocate(bytes);
        if (!address) continue;
        ASSERT_EQ(*address % (2 * kMebi), 0u);
        ASSERT_GE(*address, kSpanBegin);
        ASSERT_LE(*address + bytes, kSpanBegin + kSmallSpan);
        const auto after = live.lower_bound(*address);
        ASSERT_TRUE(after == live.end() || *address + bytes <= after->first);
        ASSERT_TRUE(after == live.begin() || std::prev(after)->first + std::prev(after)->second <= *address);
        live.emplace(*address, bytes);
        live_bytes += bytes;
      } else {
        auto victim = live.lower_bound(kSpanBegin + random() % kSmallSpan);
        if (victim == live.end()) victim = live.begin();
        chunks.free(victim->first, victim->second);
        live_bytes -= victim->second;
        live.erase(victim);
      }
    }
    for (const auto& [address, bytes] : live) chunks.free(address, bytes);
    EXPECT_EQ(chunks.allocate(kSmallSpan), kSpanBegin) << "the whole span is one gap again";
  }
}

}  // namespace
}  // namespace strata::dry_gpu

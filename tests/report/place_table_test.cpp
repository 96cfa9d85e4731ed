// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "host/report/text.hpp"

namespace strata::report {
namespace {

using analysis::PlaceShare;

constexpr std::uint64_t kPlaceMiB = std::uint64_t{1} << 20;

TEST(PlaceTable, SaysWhatNoOtherStreamCanUse) {
  const std::vector<PlaceShare> shares{
      {{0, 0}, 99 * kPlaceMiB, 7, 100 * kPlaceMiB},
      {{0x55766eae5f10, 0}, 0, 0, 60 * kPlaceMiB},
      {{0x55766eae5f10, std::uint64_t{3} << 32}, 5 * kPlaceMiB, 1, 20 * kPlaceMiB},
      {{0, 2}, kPlaceMiB, 1, 2 * kPlaceMiB}};
  EXPECT_EQ(place_table(shares, {false, 80}),
            "At the peak, by stream and pool   reserved MiB   allocated        free    blocks\n"
            "  default stream                         100.0        99.0         1.0         7\n"
            "  stream 0x55766eae5f10                   60.0         0.0        60.0         0\n"
            "  graph's pool 3, … 0x55766eae5f10        20.0         5.0        15.0         1\n"
            "  pool 2, default stream                   2.0         1.0         1.0         1\n"
            "  76.0 MiB are reserved and free in others than the first: what a stream or a\n"
            "  pool has free, no other can use.\n");
}

TEST(PlaceTable, OfOnePlaceIsNone) {
  EXPECT_EQ(place_table({{{0, 0}, 99 * kPlaceMiB, 7, 100 * kPlaceMiB}}, {false, 80}), "");
  EXPECT_EQ(place_table({}, {false, 80}), "");
}

TEST(PlaceTable, FitsAndSaysWhatIsUnknown) {
  std::vector<PlaceShare> shares;
  for (std::uint64_t stream = 0; stream < 40; ++stream)
    shares.push_back(
        {{UINT64_MAX - stream, UINT64_MAX - stream}, std::uint64_t{1} << 45, stream, std::nullopt});
  const std::string text = place_table(shares, {false, 80});
  EXPECT_NE(text.find("unknown"), std::string::npos);
  EXPECT_NE(text.find("and 32 more"), std::string::npos);
  EXPECT_EQ(text.find("no other can use"), std::string::npos);
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) EXPECT_LE(columns(line), 80) << line;
}

}  // namespace
}  // namespace strata::report

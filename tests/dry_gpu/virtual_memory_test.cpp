// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/memory/virtual_memory.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "dry_gpu/device/memory/device_memory.hpp"

namespace strata::dry_gpu {
namespace {

using Outcome = VirtualMemory::Outcome;
constexpr std::uint64_t kPage = kPageBytes;

class Pages final : public VirtualMemory::PageOwner {
 public:
  void freed(int device, std::uint64_t bytes) override { freed_.emplace_back(device, bytes); }
  const std::vector<std::pair<int, std::uint64_t>>& all() const { return freed_; }

 private:
  std::vector<std::pair<int, std::uint64_t>> freed_;
};

class VirtualMemoryTest : public testing::Test {
 protected:
  AddressSpace addresses_{2, 64 * kPage};
  Pages pages_;
  VirtualMemory memory_{addresses_, pages_};
};

TEST_F(VirtualMemoryTest, PagesLiveUntilReleasedAndUnmapped) {
  const Address range = memory_.reserve(4 * kPage, 0).value();
  const auto handle = memory_.create(1, 2 * kPage);
  ASSERT_EQ(memory_.map(range + kPage, 2 * kPage, handle), Outcome::kDone);
  EXPECT_EQ(memory_.find(range + 2 * kPage)->device, 1);
  EXPECT_EQ(memory_.find(range + 2 * kPage)->address, range + kPage);
  EXPECT_FALSE(memory_.find(range).has_value());

  EXPECT_EQ(memory_.release(handle), Outcome::kDone);
  EXPECT_TRUE(pages_.all().empty()) << "they are mapped still";
  EXPECT_EQ(memory_.unmap(range + kPage, 2 * kPage), Outcome::kDone);
  EXPECT_EQ(pages_.all(), (std::vector<std::pair<int, std::uint64_t>>{{1, 2 * kPage}}));
  EXPECT_EQ(memory_.release(handle), Outcome::kInvalid);
}

TEST_F(VirtualMemoryTest, ARetainedHandleKeepsThePages) {
  const Address range = memory_.reserve(kPage, 0).value();
  const auto handle = memory_.create(0, kPage);
  ASSERT_EQ(memory_.map(range, kPage, handle), Outcome::kDone);
  EXPECT_EQ(memory_.retain(range), handle);
  EXPECT_FALSE(memory_.retain(range + kPage).has_value());
  EXPECT_EQ(memory_.release(handle), Outcome::kDone);
  EXPECT_EQ(memory_.unmap(range, kPage), Outcome::kDone);
  EXPECT_TRUE(pages_.all().empty());
  EXPECT_EQ(memory_.release(handle), Outcome::kDone);
  EXPECT_EQ(pages_.all().size(), 1u);
}

TEST_F(VirtualMemoryTest, TellsAtHowManyAddressesPagesAre) {
  const Address range = memory_.reserve(4 * kPage, 0).value();
  const auto handle = memory_.create(0, kPage);
  EXPECT_EQ(memory_.memory(handle)->mappings, 0u);
  ASSERT_EQ(memory_.map(range, kPage, handle), Outcome::kDone);
  ASSERT_EQ(memory_.map(range + 2 * kPage, kPage, handle), Outcome::kDone);
  EXPECT_EQ(memory_.memory(handle)->mappings, 2u);
  EXPECT_EQ(memory_.unmap(range, kPage), Outcome::kDone);
  EXPECT_EQ(memory_.memory(handle)->mappings, 1u);
}

TEST_F(VirtualMemoryTest, MapsIntoReservedAndFreeRangesOnly) {
  const Address range = memory_.reserve(4 * kPage, 0).value();
  const auto handle = memory_.create(0, 2 * kPage);
  EXPECT_EQ(memory_.map(range + 3 * kPage, 2 * kPage, handle), Outcome::kInvalid) << "beyond the range";
  EXPECT_EQ(memory_.map(range, kPage, handle), Outcome::kInvalid) << "not all of the handle's pages";
  EXPECT_EQ(memory_.map(range, 2 * kPage, handle + 1), Outcome::kInvalid) << "no such handle";
  ASSERT_EQ(memory_.map(range + kPage, 2 * kPage, handle), Outcome::kDone);
  EXPECT_EQ(memory_.map(range, 2 * kPage, handle), Outcome::kAddressesTaken);
  EXPECT_EQ(memory_.map(range + 2 * kPage, 2 * kPage, handle), Outcome::kAddressesTaken);
}

TEST_F(VirtualMemoryTest, UnmapsWholeMappingsOnly) {
  const Address range = memory_.reserve(8 * kPage, 0).value();
  for (const std::uint64_t at : {0u, 2u, 4u}) {
    ASSERT_EQ(memory_.map(range + at * kPage, 2 * kPage, memory_.create(0, 2 * kPage)), Outcome::kDone);
  }
  EXPECT_EQ(memory_.unmap(range + kPage, kPage), Outcome::kInvalid);
  EXPECT_EQ(memory_.unmap(range, 3 * kPage), Outcome::kInvalid);
  EXPECT_EQ(memory_.unmap(range + 6 * kPage, 2 * kPage), Outcome::kInvalid) << "nothing is mapped there";
  EXPECT_EQ(memory_.unmap(range, 8 * kPage), Outcome::kDone);
  EXPECT_FALSE(memory_.find(range + 4 * kPage).has_value());
}

TEST_F(VirtualMemoryTest, ReservesWhereItIsAskedToAndTheFirstGapElse) {
  const Address first = memory_.reserve(2 * kPage, 0).value();
  const Address second = memory_.reserve(2 * kPage, first + 8 * kPage).value();
  EXPECT_EQ(second, first + 8 * kPage);
  EXPECT_EQ(memory_.reserve(2 * kPage, first + 9 * kPage), first + 2 * kPage)
      << "taken: the first gap instead";
  EXPECT_EQ(memory_.unreserve(first, kPage), Outcome::kInvalid) << "not the whole range";
  EXPECT_EQ(memory_.unreserve(first, 2 * kPage), Outcome::kDone);
  EXPECT_EQ(memory_.reserve(2 * kPage, 0), first);
  EXPECT_FALSE(memory_.reserve(1000 * kPage, 0).has_value());
  EXPECT_FALSE(memory_.reserve(kPage / 2, 0).has_value());
}

TEST_F(VirtualMemoryTest, KeepsARangeThatIsMapped) {
  const Address range = memory_.reserve(2 * kPage, 0).value();
  ASSERT_EQ(memory_.map(range, kPage, memory_.create(0, kPage)), Outcome::kDone);
  EXPECT_EQ(memory_.unreserve(range, 2 * kPage), Outcome::kInvalid);
}

}  // namespace
}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/block_ledger.hpp"

#include <gtest/gtest.h>

#include "strata/events.h"
#include "strata/ext/graph.h"
#include "strata/ext/memory.h"
#include "strata/ext/tensor.h"

namespace strata {
namespace {

constexpr LedgerDevice kCpu{STRATA_DEVICE_CPU, 0};
constexpr LedgerDevice kCuda{STRATA_DEVICE_CUDA, 0};

LedgerEvent allocated(std::int64_t row, std::uint64_t address, std::uint64_t bytes) {
  return {row, static_cast<std::uint64_t>(row), row, STRATA_MEMORY_ALLOCATE, kCpu, address, bytes, 0, 0, 0};
}
LedgerEvent freed(std::int64_t row, std::uint64_t address) {
  return {row, static_cast<std::uint64_t>(row), row, STRATA_MEMORY_FREE, kCpu, address, 0, 0, 0, 0};
}
LedgerRows events(std::vector<LedgerEvent> rows) {
  return {.events = std::move(rows), .tensors = {}, .saves = {}, .next_handed_out = {}};
}
using Rows = std::vector<std::int64_t>;

// A free waits for the device's next event, which may report that the block is still in use.
constexpr std::uint64_t kLater = 999;

TEST(BlockLedgerTest, LetsGoOfWhatLivedWithinTheSteps) {
  BlockLedger ledger;
  ledger.add(1, 1, 1, events({allocated(1, 64, 10), allocated(2, 128, 20), freed(3, 64)}));
  ledger.add(2, 4, 4, events({allocated(4, kLater, 1)}));
  EXPECT_EQ(ledger.take(1, {}).events, (Rows{1, 3}));
  ledger.add(3, 5, 5, events({freed(5, 128), freed(6, kLater)}));
  EXPECT_EQ(ledger.take(2, {}).events, Rows{});
  EXPECT_EQ(ledger.take(3, {}).events, (Rows{2, 5}));
}

TEST(BlockLedgerTest, KeepsWhatWasAliveInAWholeStepUntilItIsNotWholeAnyMore) {
  BlockLedger ledger;
  ledger.add(1, 1, 1, events({allocated(1, 64, 10)}));
  ledger.add(2, 2, 2, events({allocated(2, 128, 10)}));
  ledger.add(3, 3, 3, events({freed(3, 64), freed(4, 128), allocated(5, kLater, 1)}));
  EXPECT_EQ(ledger.take(3, {2}).events, Rows{});
  ledger.look_again();
  EXPECT_EQ(ledger.take(3, {}).events, (Rows{1, 3, 2, 4}));
}

TEST(BlockLedgerTest, KeepsWhatIsOlderThanTheFirstStep) {
  BlockLedger ledger;
  ledger.add(0, 0, 0, events({allocated(1, 64, 10)}));
  ledger.add(1, 2, 2, events({freed(2, 64), allocated(3, kLater, 1)}));
  EXPECT_EQ(ledger.take(1, {}).events, Rows{});
}

TEST(BlockLedgerTest, AnAllocationThatStaysKeepsTheCountOfTheEventBehindIt) {
  BlockLedger ledger;
  LedgerEvent stays = allocated(1, 64, 10), follows = allocated(2, 128, 10), ends = freed(3, 128),
              other = allocated(4, 256, 1);
  std::uint64_t count = 512;
  for (LedgerEvent* event : {&stays, &follows, &ends, &other}) {
    event->device = kCuda;
    event->handed_out_bytes = count;
    if (event->action == STRATA_MEMORY_ALLOCATE) count += 1024;
  }
  ledger.add(1, 1, 1, events({stays, follows, ends, other}));
  const LedgerRemoval removal = ledger.take(1, {});
  EXPECT_EQ(removal.stubs, Rows{2});
  EXPECT_EQ(removal.events, Rows{3});
}

TEST(BlockLedgerTest, OfRegistrationsInOneRoleTheFirstCountsAndAParameterStays) {
  BlockLedger ledger;
  LedgerRows rows = events(
      {allocated(1, 64, 10), allocated(2, 128, 10), freed(5, 64), freed(6, 128), allocated(7, kLater, 1)});
  rows.tensors = {{1, 3, STRATA_TENSOR_INPUT, kCpu, 64},
                  {2, 3, STRATA_TENSOR_INPUT, kCpu, 64},
                  {3, 3, STRATA_TENSOR_PARAMETER, kCpu, 128}};
  ledger.add(1, 1, 1, rows);
  const LedgerRemoval removal = ledger.take(1, {});
  EXPECT_EQ(removal.events, (Rows{1, 5}));
  EXPECT_EQ(removal.tensors, (Rows{1, 2}));
}

}  // namespace
}  // namespace strata

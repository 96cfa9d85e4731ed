// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/store/spool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include "host/runtime/process_barrier.hpp"
#include "host/runtime/store/spool_reader.hpp"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

constexpr std::uint32_t kTable = 7;

class SpoolTest : public testing::Test {
 protected:
  std::filesystem::path file() const { return folder_.path() / "1.spool"; }

  Spool::Answer append(Spool& spool, std::uint64_t value, std::uint32_t bytes) {
    std::vector<std::uint64_t> row(bytes / 8 + 1, value);
    return spool.append(kTable, row.data(), bytes);
  }

  // The first word of every available record, which is then released.
  std::vector<std::uint64_t> drain(Spool& spool) {
    std::vector<std::uint64_t> values;
    SpoolReader reader(spool.ring(), spool.released(), spool.written());
    while (const auto record = reader.next()) {
      std::uint64_t value = 0;
      std::memcpy(&value, record->payload.data(), sizeof value);
      if (record->table == kTable) values.push_back(value);
    }
    spool.release(reader.position());
    return values;
  }

  RunFolder folder_;
};

TEST_F(SpoolTest, RoundsTheCapacityAndAllocatesTheWholeFile) {
  Spool spool(file(), 20'000);
  EXPECT_EQ(spool.ring().size(), 32'768U);
  EXPECT_EQ(std::filesystem::file_size(file()), kSpoolRingOffset + 32'768);
}

TEST_F(SpoolTest, TakesExactlyWhatTheRingHolds) {
  Spool spool(file(), kMinimumSpoolBytes);
  const std::uint64_t records = kMinimumSpoolBytes / record_bytes(24);
  ASSERT_EQ(kMinimumSpoolBytes % record_bytes(24), 0U);
  for (std::uint64_t value = 0; value < records; ++value)
    ASSERT_EQ(append(spool, value, 24), Spool::Answer::kAppended);
  EXPECT_EQ(append(spool, 0, 24), Spool::Answer::kFull);
  EXPECT_EQ(drain(spool).size(), records);
  EXPECT_EQ(append(spool, 0, 24), Spool::Answer::kAppended);
}

TEST_F(SpoolTest, WrapsAroundWithRecordsOfEverySize) {
  Spool spool(file(), kMinimumSpoolBytes);
  std::uint64_t written = 0;
  std::uint64_t read = 0;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    const std::uint32_t bytes = 8 + (round * 37) % (kMaximumRowBytes - 7);
    while (append(spool, written, bytes) == Spool::Answer::kFull) {
      for (const std::uint64_t value : drain(spool)) ASSERT_EQ(value, read++);
    }
    ++written;
  }
  for (const std::uint64_t value : drain(spool)) ASSERT_EQ(value, read++);
  EXPECT_EQ(read, written);
  EXPECT_GT(spool.written(), 10 * kMinimumSpoolBytes);
}

TEST_F(SpoolTest, HandsEveryRecordToAConsumerOnAnotherThread) {
  constexpr std::uint64_t kRecords = 300'000;
  Spool spool(file(), kMinimumSpoolBytes);
  std::thread producer([&] {
    for (std::uint64_t value = 0; value < kRecords; ++value) {
      while (append(spool, value, 40) == Spool::Answer::kFull) std::this_thread::yield();
    }
  });
  std::uint64_t read = 0;
  while (read < kRecords) {
    for (const std::uint64_t value : drain(spool)) {
      if (value != read++) ADD_FAILURE() << "record " << value << " where " << read - 1 << " was due";
    }
    std::this_thread::yield();
  }
  producer.join();
}

TEST_F(SpoolTest, TellsAGapBeforeTheNextRow) {
  Spool spool(file(), kMinimumSpoolBytes);
  spool.own(42);
  std::uint64_t value = 0;
  while (append(spool, value, 24) == Spool::Answer::kAppended) ++value;
  spool.drop(kTable, 100);
  spool.drop(kTable, 200);
  ASSERT_EQ(spool.open_gaps().size(), 1U);
  EXPECT_EQ(spool.open_gaps()[0].rows, 2U);
  drain(spool);

  ASSERT_EQ(append(spool, 5, 24), Spool::Answer::kAppended);
  EXPECT_TRUE(spool.open_gaps().empty());
  SpoolReader reader(spool.ring(), spool.released(), spool.written());
  const auto record = reader.next();
  ASSERT_TRUE(record && record->table == kGapRecord);
  Gap gap;
  std::memcpy(&gap, record->payload.data(), sizeof gap);
  EXPECT_EQ(gap.table, kTable);
  EXPECT_EQ(gap.thread, 42U);
  EXPECT_EQ(gap.rows, 2U);
  EXPECT_EQ(gap.begin_ns, 100);
  EXPECT_EQ(gap.end_ns, 200);
  EXPECT_EQ(reader.next()->table, kTable);
}

TEST_F(SpoolTest, KeepsNothingBehindARefusal) {
  Spool spool(file(), kMinimumSpoolBytes);
  std::atomic<std::uint64_t> kept = 0;
  std::thread producer([&] {
    for (;;) {
      const Spool::Answer answer = append(spool, kept, 8);
      if (answer == Spool::Answer::kRefused) return;
      if (answer == Spool::Answer::kAppended) ++kept;
    }
  });
  std::uint64_t read = 0;
  while (read < 10'000) read += drain(spool).size();
  spool.refuse();
  ASSERT_TRUE(order_all_threads());
  while (spool.busy()) std::this_thread::yield();
  read += drain(spool).size();
  producer.join();
  EXPECT_EQ(read, kept);
  EXPECT_TRUE(drain(spool).empty());
}

}  // namespace
}  // namespace strata

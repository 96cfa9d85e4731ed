// SPDX-License-Identifier: Apache-2.0
// Compares a store with a size limit with one without, for the same rows: the live blocks at each moment of
// the steps that are kept, the peaks of removed steps, and the number of rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <map>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "host/runtime/recording/recorder_tables.hpp"
#include "host/runtime/store/store.hpp"
#include "strata/events.h"
#include "strata/ext/memory.h"
#include "strata/ext/op.h"
#include "strata/ext/step.h"
#include "tests/runtime/run_folder.hpp"

namespace strata {
namespace {

constexpr std::uint64_t kSpoolBytes = std::uint64_t{64} << 10;
constexpr std::uint64_t kMaxMb = kLeastStoreMb;
// The node of the step after the 60th, in which a permanent block is born.
constexpr int kLastingOp = 2 * 61 + 2;

struct ThinnableEvent {
  std::uint64_t sequence;
  std::int64_t monotonic_ns;
  std::uint64_t address, bytes, stream, pool, device_handed_out_bytes, op;
  std::uint32_t action, device_type, device_index, module;
};

const strata_table& event_table() {
  using Row = ThinnableEvent;
  static const strata_column kColumns[] = {
      STRATA_COLUMN(Row, sequence, STRATA_COLUMN_UINT64, "", "of the event"),
      STRATA_COLUMN(Row, monotonic_ns, STRATA_COLUMN_INT64, "ns", "of the event"),
      STRATA_COLUMN(Row, action, STRATA_COLUMN_UINT32, "", "of the event"),
      STRATA_COLUMN(Row, device_type, STRATA_COLUMN_UINT32, "", "of the event"),
      STRATA_COLUMN(Row, device_index, STRATA_COLUMN_UINT32, "", "of the event"),
      STRATA_COLUMN(Row, address, STRATA_COLUMN_UINT64, "", "of the event"),
      STRATA_COLUMN(Row, bytes, STRATA_COLUMN_UINT64, "", "of the event"),
      STRATA_COLUMN(Row, stream, STRATA_COLUMN_UINT64, "", "of the event"),
      STRATA_COLUMN(Row, pool, STRATA_COLUMN_UINT64, "", "of the event"),
      STRATA_COLUMN(Row, device_handed_out_bytes, STRATA_COLUMN_UINT64, "", "of the event"),
      STRATA_COLUMN(Row, op, STRATA_COLUMN_UINT64, "", "of the event"),
      STRATA_COLUMN(Row, module, STRATA_COLUMN_UINT32, "", "of the event")};
  static const strata_table kTable = {
      sizeof(strata_table), sizeof(Row), "event", "an event", kColumns, 12, 0};
  return kTable;
}

struct ThinnableOp {
  std::uint64_t sequence, op, parent, forward_thread;
  std::int64_t autograd_sequence;
  std::uint32_t kind, module;
};

const strata_table& op_table() {
  using Row = ThinnableOp;
  static const strata_column kColumns[] = {
      STRATA_COLUMN(Row, sequence, STRATA_COLUMN_UINT64, "", "of the operator"),
      STRATA_COLUMN(Row, op, STRATA_COLUMN_UINT64, "", "of the operator"),
      STRATA_COLUMN(Row, parent, STRATA_COLUMN_UINT64, "", "of the operator"),
      STRATA_COLUMN(Row, kind, STRATA_COLUMN_UINT32, "", "of the operator"),
      STRATA_COLUMN(Row, autograd_sequence, STRATA_COLUMN_INT64, "", "of the operator"),
      STRATA_COLUMN(Row, forward_thread, STRATA_COLUMN_UINT64, "", "of the operator"),
      STRATA_COLUMN(Row, module, STRATA_COLUMN_UINT32, "", "of the operator")};
  static const strata_table kTable = {sizeof(strata_table), sizeof(Row), "op", "an operator", kColumns, 7, 0};
  return kTable;
}

// A kind of steps.
struct TraceShape {
  int kept = 0;              // each step has a block that lives for so many more steps
  int fails_each = 0;        // every so many steps an allocation fails
  bool has_long = true;      // some blocks are permanent
  int ops = 0;               // in the second step, one of which allocates a permanent block
  bool of_one_node = false;  // all of these carry one autograd_sequence
};

// Steps with blocks that live briefly, into the next steps, or permanently; on two devices, one of which
// reports its total. The peak of the reporting device is in an early step; that of the other comes late,
// after an early one. Operators make nodes that run in the next step.
class Trace {
 public:
  Trace(const std::filesystem::path& folder, std::uint64_t max_mb, std::uint32_t seed,
        const TraceShape& shape = {})
      : shape_(shape),
        store_(folder, kPid, {OnFull::kBlock, kSpoolBytes, max_mb}, {}),
        tables_(store_),
        events_(store_.declare("allocator_tracer", event_table())),
        ops_(store_.declare("allocator_tracer", op_table())),
        engine_(seed) {}

  void run(int steps, int events) {
    for (int block = 0; block < 20; ++block) allocate(INT32_MAX, 0);
    for (int step = 0; step < steps; ++step) {
      store_append(tables_.step_begin,
                   StepBeginRow{sequence_++, now(), static_cast<std::uint64_t>(step), STRATA_STEP_ACTIVE, 1});
      run_ops(step);
      if (step == 40 || step == 60 || step == 150) peak(step);
      if (shape_.kept != 0) allocate(step + shape_.kept, step);
      if (shape_.fails_each != 0 && step % shape_.fails_each == 0)
        tell(STRATA_MEMORY_OUT_OF_MEMORY, STRATA_DEVICE_CUDA, 0, std::uint64_t{1} << 40);
      for (int event = 0; event < events; ++event) {
        if (random() % 2 == 0 && !alive_.empty()) {
          release(step);
        } else {
          const std::uint32_t fate = random() % 1000;
          allocate(fate == 0 && shape_.has_long ? INT32_MAX
                   : fate < 40                  ? step + 1 + static_cast<int>(random() % 3)
                                                : step,
                   step);
        }
      }
      for (auto block = alive_.begin(); block != alive_.end();) {
        block = block->second.last_step <= step ? free(block) : std::next(block);
      }
      store_append(tables_.step_end,
                   StepEndRow{sequence_++, now(), static_cast<std::uint64_t>(step), 0.5, 1, 1, 0});
    }
    store_.close("done");
  }

  std::uint64_t appended() const { return appended_; }
  std::uint64_t drops() const { return store_.drops(); }
  std::vector<std::string> problems() const { return store_.problems(); }

 private:
  struct Alive {
    int last_step;
    std::uint32_t device;
  };
  std::int64_t now() { return ++ns_; }
  std::uint32_t random() { return static_cast<std::uint32_t>(engine_()); }

  template <typename Row>
  void store_append(std::uint32_t table, const Row& row) {
    ASSERT_TRUE(store_.append(table, &row));
  }

  void tell(std::uint32_t action, std::uint32_t device, std::uint64_t address, std::uint64_t bytes) {
    ThinnableEvent row{};
    row.sequence = sequence_++;
    row.monotonic_ns = now();
    row.action = action;
    row.device_type = device;
    row.address = address;
    row.bytes = bytes;
    row.op = op_;
    if (device == STRATA_DEVICE_CUDA) row.device_handed_out_bytes = handed_out_;
    store_append(events_, row);
    ++appended_;
  }

  // A peak of one device only.
  void peak(int step) {
    const std::uint32_t device = step == 40 ? STRATA_DEVICE_CUDA : STRATA_DEVICE_CPU;
    const std::uint64_t bytes = std::uint64_t{1} << (step == 150 ? 28 : 27);
    tell(STRATA_MEMORY_ALLOCATE, device, kPeakAddress, bytes);
    if (device == STRATA_DEVICE_CUDA) handed_out_ += bytes;
    tell(STRATA_MEMORY_FREE, device, kPeakAddress, 0);
  }

  void run_ops(int step) {
    const auto number = static_cast<std::uint64_t>(step);
    store_append(ops_, ThinnableOp{sequence_++, 2 * number + 1, 0, 1, step, STRATA_OP_FORWARD, 0});
    if (step > 0)
      store_append(ops_, ThinnableOp{sequence_++, 2 * number + 2, 0, 1, step - 1, STRATA_OP_BACKWARD, 0});
    if (step == kLastingOp / 2 - 1) {
      op_ = kLastingOp;
      allocate(INT32_MAX, step);
      op_ = 0;
    }
    if (step != 1 || shape_.ops == 0) return;
    for (int op = 0; op < shape_.ops; ++op)
      store_append(ops_, ThinnableOp{sequence_++, kManyOps + static_cast<std::uint64_t>(op), 0, 2,
                                     shape_.of_one_node ? 0 : op, STRATA_OP_FORWARD, 0});
    op_ = kManyOps;
    allocate(INT32_MAX, step);
    op_ = 0;
  }

  void allocate(int last_step, int step) {
    const std::uint32_t device = random() % 3 == 0 ? STRATA_DEVICE_CPU : STRATA_DEVICE_CUDA;
    const std::uint64_t bytes = 1 + random() % 10'000 + (step % 97 == 13 ? random() % 5'000 : 0);
    std::uint64_t address = 4096 * (1 + random() % 100'000);
    while (alive_.contains(address)) address += 4096;
    tell(STRATA_MEMORY_ALLOCATE, device, address, bytes);
    if (device == STRATA_DEVICE_CUDA)
      handed_out_ += (bytes + 511) / 512 * 512 + (random() % 5 == 0 ? 512 : 0);
    alive_[address] = {last_step, device};
  }

  std::map<std::uint64_t, Alive>::iterator free(std::map<std::uint64_t, Alive>::iterator block) {
    tell(STRATA_MEMORY_FREE, block->second.device, block->first, 0);
    return alive_.erase(block);
  }
  void release(int step) {
    auto block = alive_.lower_bound(4096 * (1 + random() % 100'000));
    if (block != alive_.end() && block->second.last_step <= step) free(block);
  }

  static constexpr std::uint64_t kPeakAddress = std::uint64_t{1} << 50, kManyOps = std::uint64_t{1} << 32;
  const TraceShape shape_;
  Store store_;
  RecorderTables tables_;
  std::uint32_t events_, ops_;
  std::mt19937 engine_;
  std::map<std::uint64_t, Alive> alive_;
  std::uint64_t sequence_ = 1, handed_out_ = 512, appended_ = 0, op_ = 0;
  std::int64_t ns_ = 1;
};

// The live bytes of a device after each of its events, as analysis computes them.
using Levels = std::map<std::int64_t, std::int64_t>;

Levels levels_of(const std::filesystem::path& store, std::uint32_t device) {
  SqliteConnection connection(store);
  SqliteStatement rows(
      connection,
      "SELECT sequence, action, address, bytes, device_handed_out_bytes FROM allocator_tracer_event "
      "WHERE device_type = ? ORDER BY sequence");
  struct Row {
    std::int64_t sequence, action, address, bytes, handed_out;
  };
  std::vector<Row> events;
  rows.bind(1, std::int64_t{device});
  while (rows.next())
    events.push_back({rows.integer(0), rows.integer(1), rows.integer(2), rows.integer(3), rows.integer(4)});
  Levels levels;
  std::map<std::int64_t, std::int64_t> alive;
  std::int64_t bytes = 0;
  for (std::size_t index = 0; index < events.size(); ++index) {
    const Row& row = events[index];
    if (row.action == STRATA_MEMORY_ALLOCATE) {
      std::int64_t whole = row.bytes;
      if (device == STRATA_DEVICE_CUDA) {
        whole = (row.bytes + 511) / 512 * 512;
        if (index + 1 < events.size()) whole = std::max(whole, events[index + 1].handed_out - row.handed_out);
      }
      alive[row.address] = whole;
      bytes += whole;
    } else if (const auto block = alive.find(row.address);
               row.action == STRATA_MEMORY_FREE && block != alive.end()) {
      bytes -= block->second;
      alive.erase(block);
    }
    levels[row.sequence] = bytes;
  }
  return levels;
}

class StoreThinningTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(StoreThinningTest, KeptStepsAndPeaksAreThoseOfTheWholeStore) {
  constexpr int kSteps = 300, kEvents = 1000;
  RunFolder whole_folder, folder;
  {
    Trace whole(whole_folder.rank(), 0, GetParam());
    whole.run(kSteps, kEvents);
  }
  Trace trace(folder.rank(), kMaxMb, GetParam());
  trace.run(kSteps, kEvents);
  const auto file = folder.store(kPid), whole_file = whole_folder.store(kPid);

  EXPECT_GT(std::filesystem::file_size(whole_file), kMaxMb << 20);
  EXPECT_LE(std::filesystem::file_size(file), kMaxMb << 20);
  EXPECT_EQ(trace.drops(), 0U);
  EXPECT_GT(query_integer(file, "SELECT sum(steps) FROM thinned"), kSteps / 4);
  EXPECT_EQ(query_integer(file, "SELECT count(*) FROM host_step_begin"), kSteps);
  EXPECT_EQ(
      query_integer(file, "SELECT count(*) FROM allocator_tracer_event") +
          query_integer(file, "SELECT rows FROM thinned_rows WHERE table_name = 'allocator_tracer_event'"),
      static_cast<std::int64_t>(trace.appended()));

  const auto is_thinned = [&, intervals = query(file, "SELECT begin_sequence, end_sequence FROM thinned")](
                              std::int64_t sequence) {
    return std::ranges::any_of(intervals, [&](const std::string& interval) {
      return std::stoll(interval) <= sequence &&
             sequence < std::stoll(interval.substr(interval.find('|') + 1));
    });
  };
  // If a step and the next one are both thinned, one operator of it is still needed, for a later block.
  EXPECT_EQ(query_integer(file,
                          "SELECT o.op FROM allocator_tracer_op AS o, thinned AS t WHERE o.sequence >= "
                          "t.begin_sequence AND o.sequence < (SELECT max(sequence) FROM host_step_begin "
                          "WHERE sequence < t.end_sequence)"),
            kLastingOp);
  for (const std::uint32_t device : {STRATA_DEVICE_CPU, STRATA_DEVICE_CUDA}) {
    const Levels levels = levels_of(file, device), whole = levels_of(whole_file, device);
    std::map<std::int64_t, std::int64_t> kept, expected;
    for (const auto& [sequence, bytes] : levels) {
      if (!is_thinned(sequence)) kept[sequence] = bytes;
    }
    for (const auto& [sequence, bytes] : whole) {
      if (!is_thinned(sequence)) expected[sequence] = bytes;
    }
    EXPECT_TRUE(kept == expected) << "device " << device;

    const auto highest = std::ranges::max_element(
        whole, [](const auto& left, const auto& right) { return left.second < right.second; });
    EXPECT_FALSE(is_thinned(highest->first)) << "the peak of device " << device;
    for (const std::string& row : query(file,
                                        "SELECT begin_sequence, peak_allocated_bytes FROM thinned_step WHERE "
                                        "device_type = " +
                                            std::to_string(device))) {
      const std::int64_t begin = std::stoll(row), peak = std::stoll(row.substr(row.find('|') + 1));
      const std::int64_t end = query_integer(
          file, "SELECT min(sequence) FROM host_step_begin WHERE sequence > " + std::to_string(begin));
      std::int64_t most = 0;
      auto at = whole.lower_bound(begin);
      if (at != whole.begin()) most = std::prev(at)->second;
      for (; at != whole.end() && at->first < end; ++at) most = std::max(most, at->second);
      ASSERT_EQ(peak, most) << "of the step that begins at " << begin;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, StoreThinningTest, testing::Values(1U, 2U, 3U));

// If there are many steps, the oldest are removed whole; steps near a birth, once that block has died.
TEST(ManyStepsTest, GoThoughABlockOfEachLivesOnForLong) {
  RunFolder folder;
  Trace trace(folder.rank(), kMaxMb, 1, {.kept = 3000, .has_long = false});
  trace.run(25'000, 10);
  EXPECT_EQ(trace.drops(), 0U);
  EXPECT_GT(query_integer(folder.store(kPid), "SELECT sum(steps) FROM thinned"), 15'000);
  EXPECT_LT(
      query_integer(
          folder.store(kPid),
          "SELECT count(*) FROM host_step_begin WHERE sequence < (SELECT max(end_sequence) FROM thinned)"),
      7'500);
}

// Operators outside nodes carry the number of the next node, however many they are.
TEST(ManyStepsTest, OperatorsOfOneNodeTakeNoLongerThanOthers) {
  const auto seconds = [](bool of_one_node) {
    RunFolder folder;
    const std::clock_t begin = std::clock();
    Trace trace(folder.rank(), 2 * kMaxMb, 1, {.ops = 40'000, .of_one_node = of_one_node});
    trace.run(200, 1000);
    EXPECT_GT(query_integer(folder.store(kPid), "SELECT sum(steps) FROM thinned"), 10);
    return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  };
  const double apart = seconds(false);
  EXPECT_LT(seconds(true), 2 * apart + 1);
}

// A program that continues after an allocation failure, which happens repeatedly.
TEST(ManyStepsTest, GoThoughAllocationsFailedInThem) {
  RunFolder folder;
  Trace trace(folder.rank(), kMaxMb, 1, {.fails_each = 2});
  trace.run(400, 1000);
  EXPECT_EQ(trace.drops(), 0U);
  EXPECT_GT(query_integer(folder.store(kPid), "SELECT sum(steps) FROM thinned"), 200);
  EXPECT_GT(query_integer(folder.store(kPid), "SELECT count(*) FROM allocator_tracer_event WHERE action = " +
                                                  std::to_string(STRATA_MEMORY_OUT_OF_MEMORY)),
            3);
}

TEST(FullStoreTest, CountsWhatItHasNoRoomForAndNamesTheRemedy) {
  RunFolder folder;
  Trace trace(folder.rank(), kMaxMb, 1);
  trace.run(1, 400'000);
  const auto file = folder.store(kPid);
  EXPECT_LE(std::filesystem::file_size(file), kMaxMb << 20);
  EXPECT_GT(trace.drops(), 0U);
  ASSERT_EQ(trace.problems().size(), 1U);
  EXPECT_NE(trace.problems()[0].find("raise store.max_mb"), std::string::npos);
  EXPECT_EQ(query_integer(file, "SELECT sum(rows) FROM gap"), static_cast<std::int64_t>(trace.drops()));
  EXPECT_EQ(query_integer(file, "SELECT count(*) FROM allocator_tracer_event"),
            static_cast<std::int64_t>(trace.appended() - trace.drops()));
  EXPECT_EQ(query_integer(file, "SELECT count(*) FROM host_step_end"), 1);
}

}  // namespace
}  // namespace strata

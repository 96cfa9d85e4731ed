// SPDX-License-Identifier: Apache-2.0
// The live view of a run while it is written, compared with the analysis of the whole run.
#include "host/analysis/live/live_store.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "host/analysis/analyse.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "strata/ext/memory.h"
#include "tests/analysis/cached_run.hpp"
#include "tests/analysis/random_run.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::array<const char*, 8> kFollowedTables{
    "host_run_begin", "host_step_begin", "host_step_end",          "host_phase_begin",
    "host_phase_end", "host_tensor",     "allocator_tracer_event", "string"};

class LiveStoreTest : public ::testing::Test {
 protected:
  // A store that is written in pieces, with the rows of a whole one.
  void write(const Recording& run) {
    whole_ = testing::write_store(folder_.path() / "whole", run);
    store_ = folder_.path() / "run/rank0/7.sqlite";
    fs::create_directories(store_.parent_path());
    fs::copy_file(whole_, store_);
    for (const char* const table : kFollowedTables)
      testing::run_sql(store_, fmt::format("DELETE FROM {}", table));
    testing::run_sql(store_, "UPDATE meta SET value = 'open' WHERE key = 'state'");
    testing::run_sql(store_, "DELETE FROM meta WHERE key = 'end'");
  }

  // The rows with these sequence numbers, grouped by thread.
  void append(std::uint64_t first, std::uint64_t last) {
    std::string sql = fmt::format("ATTACH '{}' AS whole; BEGIN;", whole_.string());
    for (const char* const table : kFollowedTables) {
      const bool has_thread = std::string_view(table) == "allocator_tracer_event";
      const bool has_sequence = std::string_view(table) != "string";
      sql += fmt::format("INSERT OR IGNORE INTO {0} SELECT * FROM whole.{0} {1} {2};", table,
                         has_sequence ? fmt::format("WHERE sequence BETWEEN {} AND {}", first, last) : "",
                         has_thread ? "ORDER BY thread DESC, sequence" : "");
    }
    testing::run_sql(store_, sql + "COMMIT");
  }

  void look(LiveWriter writer = LiveWriter::kAlive) { followed_.refresh(store_, writer, 10s); }

  LiveRank seen() const { return followed_.view(0); }

  test::TemporaryFolder folder_;
  fs::path whole_, store_;
  LiveStore followed_{folder_.path() / "run", 0, 7};
};

std::uint64_t highest(const Facts& facts) {
  std::uint64_t most = 0;
  for (const Point& point : facts.points) most = std::max(most, sum(point.bytes));
  return most;
}

void expect_same_memory(const LiveRank& rank, const Facts& facts) {
  ASSERT_FALSE(rank.devices.empty());
  const LiveDevice& device = rank.devices.front();
  EXPECT_EQ(device.allocated_bytes, sum(facts.points.back().bytes));
  EXPECT_EQ(device.peak_allocated_bytes, highest(facts));
  EXPECT_EQ(sum(device.categories.owned) + sum(device.categories.provisional), device.allocated_bytes);
}

TEST_F(LiveStoreTest, PieceByPieceItComesToWhatTheWholeRunDoes) {
  for (const std::uint64_t piece : {1000000ULL, 97ULL, 13ULL}) {
    SCOPED_TRACE(piece);
    fs::remove_all(folder_.path() / "run");
    fs::remove_all(folder_.path() / "whole");
    followed_ = LiveStore(folder_.path() / "run", 0, 7);
    const Recording run = testing::make_training_run({.steps = 3, .checkpointing = true}).recording;
    write(run);
    const std::uint64_t last = run.memory.back().sequence + 1000;
    for (std::uint64_t first = 0; first <= last; first += piece) {
      append(first, first + piece - 1);
      look();
    }
    std::this_thread::sleep_for(500ms);
    look();  // nothing came for a while: delayed rows are now taken
    ASSERT_EQ(seen().problem, "");
    expect_same_memory(seen(), analyse(run));
  }
}

// One thread allocates and the other frees, one block at a time, and later the other way round; the writer
// takes all available rows of one thread together.
Recording run_of_two_threads() {
  constexpr std::uint64_t kRowsOfBatch = 30'000, kBatches = 20, kRowsOfTurn = 1000, kAddresses = 7;
  Recording run;
  for (std::uint64_t batch = 0; batch < kBatches; ++batch) {
    for (const std::uint32_t thread : {1U, 2U}) {
      for (std::uint64_t row = batch * kRowsOfBatch; row < (batch + 1) * kRowsOfBatch; ++row) {
        const bool is_free = row % 2 == 1;
        const bool is_second_turn = row / kRowsOfTurn % 2 == 1;
        if (thread != (is_free == is_second_turn ? 1U : 2U)) continue;
        run.memory.push_back({.sequence = row + 1,
                              .ns = static_cast<std::int64_t>(row) * 20'000,
                              .thread = thread,
                              .action = is_free ? STRATA_MEMORY_FREE : STRATA_MEMORY_ALLOCATE,
                              .device = {STRATA_DEVICE_CPU, 0},
                              .address = (row / 2 % kAddresses + 1) << 20U,
                              .bytes = 1U << 20U});
      }
    }
  }
  // Steps are read before memory and so are ahead of it.
  const MemoryRow& last = run.memory.back();
  run.steps.push_back({.step = 0,
                       .begin_sequence = last.sequence + 1,
                       .end_sequence = last.sequence + 2,
                       .begin_ns = last.ns + 1,
                       .end_ns = last.ns + 2});
  return run;
}

TEST_F(LiveStoreTest, ThreadsRowsAreTakenInTheirOrderHoweverItIsCaughtUp) {
  const fs::path store = testing::write_store(folder_.path(), run_of_two_threads());
  for (const auto budget : {0ms, 10'000ms}) {
    for (const LiveWriter writer : {LiveWriter::kAlive, LiveWriter::kNone}) {
      SCOPED_TRACE(fmt::format("{} ms, alive: {}", budget.count(), writer == LiveWriter::kAlive));
      LiveStore followed(folder_.path(), 0, 7);
      while (!followed.view(0).caught_up) followed.refresh(store, writer, budget);
      const LiveRank rank = followed.view(0);
      ASSERT_EQ(rank.problem, "");
      ASSERT_EQ(rank.devices.size(), 1U);
      EXPECT_EQ(rank.devices.front().peak_allocated_bytes, 1U << 20U);
      EXPECT_LE(rank.devices.front().allocated_bytes, 1U << 20U);
    }
  }
}

TEST_F(LiveStoreTest, EachRowIsReadOnce) {
  const Recording run = testing::make_training_run({.steps = 2}).recording;
  write(run);
  append(0, 1000000);
  look();
  const std::uint64_t rows = seen().rows;
  EXPECT_GE(rows, run.memory.size());
  look();
  look();
  EXPECT_EQ(seen().rows, rows);
}

TEST_F(LiveStoreTest, RandomRunsComeToWhatTheWholeRunDoes) {
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    const Recording run = testing::random_run(seed);
    const fs::path folder = folder_.path() / std::to_string(seed);
    const fs::path store = testing::write_store(folder, run);
    LiveStore followed(folder, 0, 7);
    followed.refresh(store, LiveWriter::kNone, 10s);
    ASSERT_EQ(followed.view(0).problem, "");
    expect_same_memory(followed.view(0), analyse(run));
  }
}

TEST_F(LiveStoreTest, ACachingAllocatorsBlocksAndSegmentsAreCounted) {
  const Recording run = testing::cached_run();
  const fs::path store = testing::write_store(folder_.path(), run);
  LiveStore followed(folder_.path(), 0, 7);
  followed.refresh(store, LiveWriter::kNone, 10s);
  const LiveRank rank = followed.view(0);
  ASSERT_EQ(rank.problem, "");
  ASSERT_FALSE(rank.devices.empty());
  const Facts facts = analyse(folder_.path());
  EXPECT_EQ(rank.devices.front().name, facts.device);
  expect_same_memory(rank, facts);
  std::uint64_t reserved = 0;
  for (const ReservedPoint& point : facts.reserved) reserved = std::max(reserved, point.bytes);
  EXPECT_EQ(rank.devices.front().peak_reserved_bytes, reserved);
}

TEST_F(LiveStoreTest, OwnersAreCertainAndTheRestIsProvisional) {
  const Recording run = testing::make_training_run({.steps = 2}).recording;
  write(run);
  const std::uint64_t last = run.memory.back().sequence + 1000;
  bool saw_provisional = false;
  for (std::uint64_t first = 0; first <= last; first += 5) {
    append(first, first + 4);
    look(LiveWriter::kNone);
    const LiveRank rank = seen();
    if (rank.devices.empty()) continue;
    const auto& categories = rank.devices.front().categories;
    const auto bytes = [](const CategoryBytes& all, Category category) {
      return all[static_cast<std::size_t>(category)];
    };
    saw_provisional = saw_provisional || bytes(categories.provisional, Category::kActivation) > 0;
    EXPECT_EQ(bytes(categories.provisional, Category::kParameter), 0U);
  }
  EXPECT_TRUE(saw_provisional);
  const auto categories = seen().devices.front().categories;
  const Facts facts = analyse(run);
  const auto parameter = static_cast<std::size_t>(Category::kParameter);
  EXPECT_GT(categories.owned[parameter], 0U);
  EXPECT_EQ(categories.owned[parameter], facts.points.back().bytes[parameter]);
}

TEST_F(LiveStoreTest, StepsPhasesAndStates) {
  const Recording run = testing::make_training_run({.steps = 3}).recording;
  write(run);
  look();
  EXPECT_EQ(seen().state, LiveState::kRunning);
  EXPECT_FALSE(seen().step);
  append(0, run.phases.back().begin_sequence);
  look();
  EXPECT_EQ(seen().step, 2);
  EXPECT_TRUE(seen().step_open);
  EXPECT_EQ(seen().phase, run.texts[run.phases.back().name]);
  ASSERT_TRUE(seen().pace);
  EXPECT_EQ(seen().pace->steps, 2U);
  EXPECT_DOUBLE_EQ(*seen().last_step_ns, static_cast<double>(run.steps[1].end_ns - run.steps[1].begin_ns));
  look(LiveWriter::kGone);
  EXPECT_EQ(seen().state, LiveState::kKilled);
  look(LiveWriter::kNone);
  EXPECT_EQ(seen().state, LiveState::kUnwritten);
  testing::run_sql(store_, "UPDATE meta SET value = 'recovered' WHERE key = 'state'");
  look(LiveWriter::kNone);
  EXPECT_EQ(seen().state, LiveState::kKilled);
  testing::run_sql(store_, "UPDATE meta SET value = 'closed' WHERE key = 'state'");
  testing::run_sql(store_, "INSERT OR REPLACE INTO meta VALUES ('end', 'failed')");
  look(LiveWriter::kNone);
  EXPECT_EQ(seen().state, LiveState::kEnded);
  EXPECT_EQ(seen().end, RunEnd::kFailed);
}

// As in the report.
TEST_F(LiveStoreTest, AKilledRunWhoseCommandASignalEndedWasInterrupted) {
  write(testing::make_training_run({.steps = 1}).recording);
  std::ofstream(folder_.path() / "run/manifest.json") << R"({"command": {"exit_code": 137}})";
  look(LiveWriter::kGone);
  EXPECT_EQ(seen().state, LiveState::kKilled);
  std::ofstream(folder_.path() / "run/manifest.json") << R"({"command": {"exit_code": 143}})";
  look(LiveWriter::kGone);
  EXPECT_EQ(seen().state, LiveState::kEnded);
  EXPECT_EQ(seen().end, RunEnd::kInterrupted);
}

// Begins and ends are separate tables, read one after the other.
TEST_F(LiveStoreTest, AnEndThatIsReadAfterTheNextBeginCounts) {
  const Recording run = testing::make_training_run({.steps = 3}).recording;
  write(run);
  append(0, run.steps[1].begin_sequence);
  testing::run_sql(store_, "DELETE FROM host_step_end");
  look();
  EXPECT_EQ(seen().steps_ended, 0U);
  append(run.steps[0].end_sequence, 1000000);
  look();
  EXPECT_EQ(seen().steps_ended, 3U);
}

TEST_F(LiveStoreTest, WhatIsDamagedIsSaidAndNothingFails) {
  const Recording run = testing::make_training_run({.steps = 1}).recording;
  const std::vector<std::string> damages{
      "UPDATE allocator_tracer_event SET bytes = -1",
      "UPDATE allocator_tracer_event SET bytes = 'much'",
      "UPDATE allocator_tracer_event SET monotonic_ns = -9223372036854775808",
      "UPDATE allocator_tracer_event SET monotonic_ns = 9223372036854775807",
      "UPDATE host_step_begin SET step = NULL",
      "UPDATE host_phase_begin SET parent = phase",
      "UPDATE host_phase_begin SET name = 4294967295",
      "UPDATE host_tensor SET role = -5",
      "UPDATE meta SET value = 'strata.store/9' WHERE key = 'schema'",
      "DROP TABLE allocator_tracer_event; CREATE VIEW allocator_tracer_event AS SELECT 1 AS bytes",
      "DROP TABLE host_tensor; CREATE TABLE host_tensor (sequence INTEGER PRIMARY KEY, x) WITHOUT ROWID",
      "DROP TABLE meta",
  };
  for (std::size_t i = 0; i < damages.size(); ++i) {
    SCOPED_TRACE(damages[i]);
    const fs::path folder = folder_.path() / std::to_string(i);
    const fs::path store = testing::write_store(folder, run);
    testing::run_sql(store, damages[i]);
    LiveStore followed(folder, 0, 7);
    followed.refresh(store, LiveWriter::kGone, 1s);
    followed.refresh(store, LiveWriter::kGone, 1s);
    const LiveRank rank = followed.view(0);
    const bool is_harmless = i == 5 || i == 6 || i == 9;  // treated as missing
    EXPECT_EQ(rank.problem.empty(), is_harmless) << rank.problem;
    EXPECT_TRUE(is_harmless || rank.problem.find("7.sqlite") != std::string::npos) << rank.problem;
    EXPECT_NE(rank.state, LiveState::kWaiting);
  }
}

TEST_F(LiveStoreTest, AStoreCutOffAnywhereIsSaidToBe) {
  const fs::path store =
      testing::write_store(folder_.path(), testing::make_training_run({.steps = 1}).recording);
  for (auto bytes = fs::file_size(store); bytes > 0;
       bytes -= std::min<std::uintmax_t>(bytes, 4096 * 3 + 17)) {
    fs::resize_file(store, bytes);
    LiveStore followed(folder_.path(), 0, 7);
    followed.refresh(store, LiveWriter::kNone, 1s);
    const LiveRank rank = followed.view(0);
    EXPECT_TRUE(rank.state == LiveState::kEnded || !rank.problem.empty()) << bytes;
  }
}

TEST_F(LiveStoreTest, AStoreThatIsNotThereYetIsWaitedFor) {
  LiveStore followed(folder_.path(), 0, 7);
  fs::create_directories(folder_.path() / "rank0");
  const fs::path store = folder_.path() / "rank0/7.sqlite";
  followed.refresh(store, LiveWriter::kAlive, 1s);
  EXPECT_EQ(followed.view(0).state, LiveState::kWaiting);
  std::ofstream(store).flush();
  followed.refresh(store, LiveWriter::kAlive, 1s);
  EXPECT_EQ(followed.view(0).state, LiveState::kWaiting);
  EXPECT_EQ(followed.view(0).problem, "");
}

}  // namespace
}  // namespace strata::analysis

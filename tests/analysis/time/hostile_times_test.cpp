// SPDX-License-Identifier: Apache-2.0
// Damaged or inconsistent tables of times: analysis reports the problem or handles it.
#include <gtest/gtest.h>

#include <filesystem>
#include <random>
#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/report/words/warnings.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

constexpr const char* kTables =
    "CREATE TABLE cupti_timeline_op (begin_ns, end_ns, op, parent, thread, kind, name, module,"
    "  autograd_sequence, forward_thread);"
    "CREATE TABLE cupti_timeline_product (op, batch, m, n, k, products, element_bytes, bytes);"
    "CREATE TABLE cupti_timeline_activity (activity, begin_ns, end_ns, kind, detail, name, device_type,"
    "  device_index, context, stream, correlation, thread, op, phase, module, bytes, address, graph,"
    "  graph_node, modelled);"
    "CREATE TABLE cupti_timeline_kernel (activity, grid_x, grid_y, grid_z, block_x, block_y, block_z,"
    "  registers, static_shared_bytes, dynamic_shared_bytes);";

class HostileTimes : public ::testing::Test {
 protected:
  HostileTimes()
      : run_(testing::make_training_run({.steps = 2}).recording),
        store_(testing::write_store(directory_.path(), run_)) {}

  void change(const std::string& sql) { testing::run_sql(store_, sql); }
  void op(std::int64_t begin_ns, std::int64_t end_ns, std::uint64_t ordinal, std::uint64_t parent = 0) {
    change("INSERT INTO cupti_timeline_op VALUES (" + std::to_string(begin_ns) + "," +
           std::to_string(end_ns) + "," + std::to_string(ordinal) + "," + std::to_string(parent) +
           ", 9, 0, 0, 0, -1, 0)");
  }
  Facts analysed() const { return analyse(directory_.path()); }

  void expect_refused(std::string_view part) const {
    try {
      analysed();
      ADD_FAILURE() << "was accepted, and should have been refused: " << part;
    } catch (const RunError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("7.sqlite"), std::string::npos) << error.what();
    }
  }

  bool warns_of(std::string_view part) const {
    for (const std::string& warning : report::warning_texts(analysed().warnings))
      if (warning.find(part) != std::string::npos) return true;
    return false;
  }

  test::TemporaryFolder directory_;
  Recording run_;
  std::filesystem::path store_;
};

TEST_F(HostileTimes, NoTables) {
  EXPECT_FALSE(analysed().time.has_value());
}

TEST_F(HostileTimes, EmptyTables) {
  change(kTables);
  const Facts facts = analysed();
  ASSERT_TRUE(facts.time.has_value());
  EXPECT_TRUE(facts.time->ops.empty());
  EXPECT_FALSE(facts.time->phases.empty());
}

TEST_F(HostileTimes, OnlyTheTableOfOperators) {
  change(
      "CREATE TABLE cupti_timeline_op (begin_ns, end_ns, op, parent, thread, kind, name, module,"
      " autograd_sequence, forward_thread)");
  op(run_.steps.back().begin_ns, run_.steps.back().end_ns, 1);
  EXPECT_EQ(analysed().time.value().ops.size(), 1u);
}

TEST_F(HostileTimes, AColumnIsMissing) {
  change("CREATE TABLE cupti_timeline_op (begin_ns, end_ns)");
  expect_refused("cupti_timeline_op");
}

TEST_F(HostileTimes, ATextInsteadOfATime) {
  change(kTables);
  change("INSERT INTO cupti_timeline_op VALUES ('soon', 2, 1, 0, 9, 0, 0, 0, -1, 0)");
  expect_refused("cupti_timeline_op");
}

TEST_F(HostileTimes, ATimeBeforeTheClockBegan) {
  change(kTables);
  op(-5, 10, 1);
  expect_refused("not a valid time of CLOCK_MONOTONIC");
}

TEST_F(HostileTimes, RowsThatContradictOthers) {
  change(kTables);
  const std::int64_t begin = run_.steps[0].begin_ns;
  op(begin, begin + 50, 7);
  op(begin, begin + 60, 7);       // the same ordinal again
  op(begin + 50, begin + 40, 8);  // ends before it begins
  EXPECT_TRUE(warns_of("1 rows of times repeat the number of another"));
  EXPECT_TRUE(warns_of("1 rows of times end before they begin"));
  EXPECT_EQ(analysed().time.value().spans.size(), 1u);
}

TEST_F(HostileTimes, ADeviceThatWorksOnAfterTheRun) {
  change(kTables);
  const std::int64_t end = run_.end_ns;
  change("INSERT INTO cupti_timeline_activity VALUES (1, " + std::to_string(end - 10) + ", " +
         std::to_string(end + 90) + ", 1, 0, 0, 2, 0, 1, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)");
  EXPECT_EQ(analysed().end_ns, end + 90) << "a trace shows all of it";
}

TEST_F(HostileTimes, ParentsInARing) {
  change(kTables);
  const std::int64_t begin = run_.steps[0].begin_ns;
  op(begin, begin + 50, 7, 8);
  op(begin, begin + 50, 8, 7);
  op(begin, begin + 50, 9, 9);
  const Facts facts = analysed();
  ASSERT_EQ(facts.time.value().spans.size(), 3u);
  EXPECT_EQ(facts.time->spans[0].parent, kNoRow);
  EXPECT_EQ(facts.time->spans[1].parent, 0u);
  EXPECT_EQ(facts.time->spans[2].parent, kNoRow);
}

// For any rows: no crash, no negative times, and sums still add up.
TEST_F(HostileTimes, RowsByChance) {
  change(kTables);
  std::mt19937_64 random(11);
  const std::int64_t begin = run_.steps.front().begin_ns, length = run_.steps.back().end_ns - begin;
  const auto draw = [&](std::uint64_t below) { return std::to_string(random() % below); };
  const auto moment = [&] {
    return std::to_string(begin + std::int64_t(random() % std::uint64_t(2 * length)) - length / 2);
  };
  std::string sql = "BEGIN;";
  for (int row = 0; row < 400; ++row) {
    sql += "INSERT INTO cupti_timeline_op VALUES (" + moment() + "," + moment() + "," + draw(500) + "," +
           draw(500) + "," + draw(3) + "," + draw(5) + "," + draw(2000) + "," + draw(40) + "," + draw(9) +
           "," + draw(3) + ");";
    sql += "INSERT INTO cupti_timeline_activity VALUES (" + draw(1000) + "," + moment() + "," + moment() +
           "," + draw(12) + "," + draw(600) + "," + draw(2000) + ", 2, " + draw(3) + ", 1, " + draw(4) + "," +
           draw(50) + "," + draw(3) + "," + draw(500) + "," + draw(20) + "," + draw(40) + "," + draw(9999) +
           ", 0, " + draw(3) + ", 0, " + draw(2) + ");";
    sql += "INSERT INTO cupti_timeline_product VALUES (" + draw(500) +
           ", 4294967295, 4294967295, 4294967295, 4294967295, 4294967295, 4, " + draw(99) + ");";
    sql += "INSERT INTO cupti_timeline_kernel VALUES (" + draw(1000) + ", 1, 2, 3, 4, 5, 6, 7, 8, 9);";
  }
  change(sql + "COMMIT;");
  const Facts facts = analysed();
  const TimeFacts& time = facts.time.value();
  for (const OpSpan& span : time.spans) {
    EXPECT_GE(span.self_ns, 0);
    EXPECT_LE(span.self_ns, span.length_ns());
  }
  for (const DeviceTime& device : time.devices) {
    EXPECT_EQ(device.busy_ns + device.idle_in_all_ns(), device.bounds.length_ns());
    EXPECT_LE(device.overlap_ns, std::min(device.compute_ns, device.copy_ns));
    for (const std::int64_t ns : device.idle_ns) EXPECT_GE(ns, 0);
  }
  for (const PhaseTime& phase : time.phases) EXPECT_LE(phase.operator_ns, phase.wall_ns);
}

}  // namespace
}  // namespace strata::analysis

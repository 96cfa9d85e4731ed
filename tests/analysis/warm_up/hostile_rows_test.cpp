// SPDX-License-Identifier: Apache-2.0
// Stores with damaged or inconsistent warm-up tables.
#include <gtest/gtest.h>

#include <string>

#include "host/analysis/analyse.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "host/report/words/warm_up_json.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

constexpr const char* kWarmUpTables = R"sql(
CREATE TABLE warmup_analyzer_sample (sequence INTEGER, monotonic_ns INTEGER, thread INTEGER, edge INTEGER, phase INTEGER,
  threads INTEGER, thread_cpu_ns INTEGER, thread_wait_ns INTEGER, thread_minor_faults INTEGER,
  thread_major_faults INTEGER, minor_faults INTEGER, major_faults INTEGER, involuntary_switches INTEGER,
  children_cpu_ns INTEGER, libraries INTEGER);
CREATE TABLE warmup_analyzer_library (sequence INTEGER, monotonic_ns INTEGER, path INTEGER);
CREATE TABLE warmup_analyzer_call (sequence INTEGER, begin_ns INTEGER, end_ns INTEGER, self_ns INTEGER,
  minor_faults INTEGER, libraries INTEGER, thread INTEGER, name INTEGER, first INTEGER, phase INTEGER);
CREATE TABLE warmup_analyzer_operator (step INTEGER, name INTEGER, calls INTEGER, self_ns INTEGER);
CREATE TABLE warmup_analyzer_activity (sequence INTEGER, begin_ns INTEGER, end_ns INTEGER, thread INTEGER, kind INTEGER,
  detail INTEGER, name INTEGER, bytes INTEGER, modelled INTEGER);
CREATE TABLE warmup_analyzer_cost (what INTEGER, ns REAL, count INTEGER);
)sql";

class HostileWarmUp : public ::testing::Test {
 protected:
  HostileWarmUp()
      : store_(testing::write_store(directory_.path(), testing::make_training_run({.steps = 3}).recording)) {
    damage(kWarmUpTables);
  }
  void damage(const std::string& sql) const { testing::run_sql(store_, sql); }
  Facts analysed() const { return analyse(directory_.path()); }

  // The attributed time never exceeds the excess, and the document can be written.
  void expect_coped() const {
    const Facts facts = analysed();
    for (const auto* steps : {&facts.warm_up.steps, &facts.warm_up.again}) {
      for (const SlowStep& step : *steps) {
        double given = 0.0;
        for (const CauseShare& share : step.causes) given += share.ns;
        EXPECT_LE(given, step.excess_ns + 1.0);
        EXPECT_GE(step.unattributed_ns, 0.0);
      }
    }
    EXPECT_FALSE(report::warm_up_document(facts).empty());
  }

  test::TemporaryFolder directory_;
  std::filesystem::path store_;
};

TEST_F(HostileWarmUp, TablesWithoutARow) {
  expect_coped();
  EXPECT_TRUE(analysed().warm_up.is_recorded);
}

TEST_F(HostileWarmUp, CountersThatAreEnormousOrRunBackwards) {
  damage(
      "INSERT INTO warmup_analyzer_sample SELECT sequence, monotonic_ns, 1, 2, 0, 7, 9223372036854775807, "
      "-5, "
      "-9223372036854775807, 1, 9223372036854775807, 1, 1, 1, 9223372036854775807 FROM host_step_begin");
  damage(
      "INSERT INTO warmup_analyzer_sample SELECT sequence, monotonic_ns, 1, 3, 0, 7, -9223372036854775807, "
      "9223372036854775807, 9223372036854775807, 1, -1, 1, 1, 9223372036854775807, 3 FROM host_step_end");
  damage("INSERT INTO string VALUES (900001, 'page_fault')");
  damage("INSERT INTO warmup_analyzer_cost VALUES (900001, 1e308, 1)");
  expect_coped();
}

TEST_F(HostileWarmUp, CallsAndActivitiesThatEndBeforeTheyBegin) {
  damage("INSERT INTO warmup_analyzer_call VALUES (1, 5000000, 10, -9, -9, -9, 1, 77, 1, 0)");
  damage("INSERT INTO warmup_analyzer_activity VALUES (1, 5000000, 10, 1, 6, 5, 77, -1, 0)");
  expect_coped();
}

TEST_F(HostileWarmUp, CallsAsLongAsTheClockAllows) {
  damage(
      "INSERT INTO warmup_analyzer_call VALUES (1, 0, 4611686018427387904, 9223372036854775807, "
      "9223372036854775807, 9223372036854775807, 1, 77, 1, 0)");
  damage("INSERT INTO warmup_analyzer_activity VALUES (1, 0, 4611686018427387904, 1, 10, 1, 77, -1, 0)");
  damage("INSERT INTO warmup_analyzer_operator VALUES (-9223372036854775807, 77, -1, 9223372036854775807)");
  expect_coped();
}

TEST_F(HostileWarmUp, ATimeThatIsNoneIsRefused) {
  damage("INSERT INTO warmup_analyzer_call VALUES (1, -5, 10, 1, 1, 1, 1, 0, 1, 0)");
  EXPECT_THROW(analysed(), RunError);
}

TEST_F(HostileWarmUp, ATableOfOtherColumnsIsRefused) {
  damage("DROP TABLE warmup_analyzer_call");
  damage("CREATE TABLE warmup_analyzer_call (sequence INTEGER)");
  EXPECT_THROW(analysed(), RunError);
}

TEST_F(HostileWarmUp, TextsWhereNumbersBelongAreRefused) {
  damage("INSERT INTO warmup_analyzer_operator VALUES ('x', 'y', 'z', 'w')");
  EXPECT_THROW(analysed(), RunError);
}

}  // namespace
}  // namespace strata::analysis

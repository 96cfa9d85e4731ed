// SPDX-License-Identifier: Apache-2.0
// The tables of samples in a store, damaged or missing.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "host/analysis/reading/store_reader.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "tests/analysis/store_writer.hpp"
#include "tests/analysis/training_run.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::analysis {
namespace {

constexpr const char* kTables =
    "CREATE TABLE torch_process_memory (sequence INTEGER, monotonic_ns INTEGER, resident_bytes INTEGER,"
    " peak_resident_bytes INTEGER);"
    "CREATE TABLE torch_device_memory (sequence INTEGER, monotonic_ns INTEGER, device_type INTEGER,"
    " device_index INTEGER, used_bytes INTEGER, total_bytes INTEGER);"
    "CREATE TABLE host_epoch (sequence INTEGER, monotonic_ns INTEGER, epoch INTEGER, step INTEGER);";

class SampleTables : public ::testing::Test {
 protected:
  Recording read(const std::string& sql) {
    const auto store = testing::write_store(folder_.path(), testing::make_training_run().recording,
                                            /*rank=*/0, ++last_pid_);
    testing::run_sql(store, kTables + sql);
    return read_store(StoreFile(store));
  }

 private:
  strata::test::TemporaryFolder folder_;
  int last_pid_ = 0;
};

TEST_F(SampleTables, AreReadInOrderAndOfTheRunsDeviceAlone) {
  const Recording run = read(
      "INSERT INTO torch_process_memory VALUES (9, 90, 200, 0), (5, 50, 100, 300);"
      "INSERT INTO torch_device_memory VALUES (5, 50, 1, 0, 10, 20), (6, 60, 2, 0, 30, 40);"
      "INSERT INTO host_epoch VALUES (7, 70, 1, 2);");
  ASSERT_EQ(run.samples.resident.size(), 2u);
  EXPECT_EQ(run.samples.resident.front().bytes, 100u);
  EXPECT_EQ(run.samples.resident.front().peak_bytes, 300u);
  ASSERT_EQ(run.samples.device.size(), 1u) << "the run's device is the CPU";
  EXPECT_EQ(run.samples.device.front().used_bytes, 10u);
  ASSERT_EQ(run.epochs.size(), 1u);
  EXPECT_EQ(run.epochs.front().epoch, 1);
  EXPECT_FALSE(run.stats_recorded);
}

TEST_F(SampleTables, WithImpossibleValuesAreRefused) {
  for (const char* row :
       {"torch_process_memory VALUES (1, -5, 1, 1)", "torch_process_memory VALUES (1, 5, -1, 1)",
        "torch_process_memory VALUES (1, 5, 1, 1152921504606846977)",
        "torch_process_memory VALUES (1, 5, 'much', 1)", "torch_device_memory VALUES (1, 5, 1, 0, -1, 1)",
        "host_epoch VALUES (1, 5, 'one', 1)"}) {
    EXPECT_THROW(read(std::string("INSERT INTO ") + row), RunError) << row;
  }
}

TEST_F(SampleTables, ThatAreViewsAreNone) {
  const Recording run = read(
      "DROP TABLE torch_process_memory;"
      "CREATE VIEW torch_process_memory AS SELECT 1 AS sequence, 1 AS monotonic_ns, 1 AS resident_bytes, 1 "
      "AS "
      "peak_resident_bytes");
  EXPECT_TRUE(run.samples.resident.empty());
}

}  // namespace
}  // namespace strata::analysis

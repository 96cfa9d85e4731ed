// SPDX-License-Identifier: Apache-2.0
// The state of a cell after each kind of ending.
#include "host/grid/outcome.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "tests/grid/fake_cell.hpp"

namespace strata::test {
namespace {

using grid::Ending;
using grid::Status;

class Outcome : public testing::Test {
 protected:
  grid::CellState after(const Ending& ending) const {
    return state_after({}, ending, folder_.path() / "run", folder_.path() / "output.txt");
  }
  TemporaryFolder folder_;
};

TEST_F(Outcome, IsAResultWhereTheRunLeftOne) {
  folder_.write("run/summary.json", summary_text(42));
  const grid::CellState state = after({.exit_code = 0, .signal = {}});
  EXPECT_EQ(state.status, Status::kOk);
  EXPECT_EQ(state.result->measures[grid::Measure::kPeakAllocated], 42.0);
  // The grid had asked it to end, but it had already finished.
  EXPECT_EQ(after({.exit_code = 0, .signal = {}, .timed_out = true, .interrupted = true}).status,
            Status::kOk);
}

// A run on a full disk ends successfully with nothing recorded.
TEST_F(Outcome, OfAStoreWithGapsIsNoResult) {
  folder_.write("run/summary.json", summary_text(0));
  folder_.write("run/report.html", "");
  folder_.write(
      "run/manifest.json",
      R"({"end": "done", "store": {"dropped_rows": 8, "problems": ["no file for a thread's rows"]}})");
  EXPECT_EQ(after({.exit_code = 0, .signal = {}}).status, Status::kLost);
  EXPECT_EQ(after({.exit_code = 0, .signal = {}}).reason, "no file for a thread's rows");
  EXPECT_FALSE(grid::state_left_behind({}, folder_.path() / "run"));
  folder_.write("run/manifest.json", R"({"end": "done", "store": {"dropped_rows": 8, "problems": []}})");
  EXPECT_EQ(after({.exit_code = 0, .signal = {}}).status, Status::kOk);  // the cell set store.on_full: drop
  EXPECT_TRUE(grid::state_left_behind({}, folder_.path() / "run"));
}

TEST_F(Outcome, OfACutOffSummaryIsAFailure) {
  folder_.write("run/summary.json", summary_text(42).substr(0, 80));
  EXPECT_EQ(after({.exit_code = 0, .signal = {}}).status, Status::kFailed);
}

TEST_F(Outcome, KnowsWhatFilledTheDevice) {
  folder_.write(
      "run/summary.json",
      R"({"schema": "strata.summary/1", "measured": false, "plugins": [], "out_of_memory": [{"requested_bytes": 2097152, "op": "aten::mm",
                    "layer": "layers.0", "phase": "forward", "step": 1, "allocated_bytes": 4194304, "categories": {"Parameter": 3145728, "Activation": 1048576, "Input": 0}}]})");
  const grid::CellState state = after({.exit_code = 3, .signal = {}});
  EXPECT_EQ(state.status, Status::kOutOfMemory);
  EXPECT_EQ(state.reason,
            "requested 2.0 MiB in aten::mm of layers.0 (forward) with 4.0 MiB allocated: Parameter 75%, "
            "Activation 25%");
}

TEST_F(Outcome, OfAKillIsNoResult) {
  EXPECT_EQ(after({.exit_code = {}, .signal = SIGKILL}).status, Status::kLost);
  EXPECT_EQ(after({.exit_code = {}, .signal = SIGXFSZ}).status, Status::kLost);
  EXPECT_EQ(after({.exit_code = {}, .signal = SIGABRT}).status, Status::kFailed);
  EXPECT_EQ(after({.exit_code = 130, .signal = {}}).status, Status::kLost);
  EXPECT_EQ(after({.exit_code = 1, .signal = {}, .no_room = true}).status, Status::kLost);
  EXPECT_EQ(after({.exit_code = {}, .signal = SIGTERM, .timed_out = true}).status, Status::kTimeout);
  EXPECT_EQ(after({.exit_code = 143, .signal = {}, .interrupted = true}).status, Status::kLost);
}

TEST_F(Outcome, SaysTheLastLine) {
  folder_.write("output.txt", "a\nstrata: the file is gone\n\n");
  EXPECT_EQ(after({.exit_code = 2, .signal = {}}).reason, "the file is gone");
  folder_.write("output.txt", std::string(100'000, 'x'));
  EXPECT_LT(after({.exit_code = 2, .signal = {}}).reason.size(), 500U);
}

TEST_F(Outcome, SurvivesAnyJson) {
  for (const char* const text :
       {"null", "[]", "{\"schema\": 3}", "{\"schema\": \"strata.summary/1\"}",
        "{\"schema\": \"strata.summary/1\", \"peak\": [], \"plugins\": 4, \"steps\": {\"a\": 1}, \"scopes\": "
        "[1], \"out_of_memory\": [3], \"window\": 1}"}) {
    folder_.write("run/summary.json", text);
    EXPECT_NO_THROW(after({.exit_code = 3, .signal = {}})) << text;
  }
}

}  // namespace
}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// A cell's state is read back from state.json, whatever other files are there.
#include "host/grid/cell_state.hpp"

#include <gtest/gtest.h>

#include "host/grid/tally.hpp"

namespace strata::test {
namespace {

using grid::CellState;
using grid::Status;

CellState full_state() {
  CellState state{.status = Status::kOutOfMemory,
                  .attempt = 2,
                  .pid = 77,
                  .host = "nyx",
                  .job = "12_3",
                  .gpus = "1",
                  .began = "b",
                  .ended = "e",
                  .exit_code = 3,
                  .signal = {},
                  .reason = "asked \"for\" 3",
                  .dominated_by = "abc",
                  .result = grid::RunResult{}};
  state.result->measured = false;
  state.result->measures[grid::Measure::kPeakAllocated] = 123456789012.0;
  state.result->measures[grid::Measure::kThroughput] = 1.5;
  state.result->out_of_memory = grid::OutOfMemory{.requested_bytes = 5,
                                                  .allocated_bytes = 6,
                                                  .op = "aten::mm",
                                                  .layer = "l",
                                                  .phase = "forward",
                                                  .step = 1,
                                                  .filled_by = "Parameter 60%"};
  return state;
}

TEST(CellState, ComesBack) {
  const auto state = grid::parse_state(grid::state_text("0abc", full_state()));
  ASSERT_TRUE(state);
  EXPECT_EQ(grid::state_text("0abc", *state), grid::state_text("0abc", full_state()));
  EXPECT_EQ(state->status, Status::kOutOfMemory);
  EXPECT_EQ(state->result->measures[grid::Measure::kPeakAllocated], 123456789012.0);
  EXPECT_FALSE(state->result->measures[grid::Measure::kStepTime]);
  EXPECT_EQ(state->result->out_of_memory->op, "aten::mm");
}

TEST(CellState, OfEveryStatusComesBack) {
  for (const Status status : grid::kStatuses) {
    CellState state;
    state.status = status;
    EXPECT_EQ(grid::parse_state(grid::state_text("0", state))->status, status);
  }
  EXPECT_FALSE(grid::status_named("done"));
}

TEST(CellState, IsNotReadFromHalfAFile) {
  const std::string text = grid::state_text("0abc", full_state());
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(grid::parse_state(text.substr(0, length))) << length;
}

TEST(CellState, IsNotReadFromSomethingElse) {
  for (const char* const text :
       {"", "[]", "3", "{}", "{\"status\": 3}", "{\"status\": \"ok\", \"attempt\": \"x\"}",
        "{\"status\": \"better\"}", "\xff\xfe"})
    EXPECT_FALSE(grid::parse_state(text)) << text;
}

TEST(Tally, CountsWhatIsOver) {
  std::vector<CellState> states(4);
  states[0].status = Status::kOk;
  states[1].status = Status::kFailed;
  states[2].status = Status::kRunning;
  const grid::Tally tally = grid::tally_of(states);
  EXPECT_EQ(tally.over(), 2U);
  EXPECT_EQ(tally.text(), "2 of 4 cells, 1 running, 1 failed");
}

TEST(CellState, PlannedAgainHasNoResult) {
  CellState state;
  state.status = Status::kOk;
  state.attempt = 3;
  state.exit_code = 0;
  state.reason = "a reason";
  state.result.emplace();
  state.plan_again();
  CellState planned;
  planned.attempt = 3;
  EXPECT_EQ(grid::state_text("a", state), grid::state_text("a", planned));
}

TEST(Tally, FindsTheLowestPeakOfWhatIsOk) {
  std::vector<CellState> states(3);
  for (CellState& state : states) state.result.emplace();
  states[0].status = Status::kOk;
  states[0].result->measures[grid::Measure::kPeakAllocated] = 5.0;
  states[1].status = Status::kOk;
  states[1].result->measures[grid::Measure::kPeakAllocated] = 4.0;
  states[2].status = Status::kOutOfMemory;
  states[2].result->measures[grid::Measure::kPeakAllocated] = 1.0;
  EXPECT_EQ(grid::best_cell(states), 1U);
  EXPECT_FALSE(grid::best_cell({}));
}

TEST(Tally, ExpectsTheRestToTakeAsLong) {
  EXPECT_FALSE(grid::time_left(std::chrono::seconds(5), 0, 3));
  EXPECT_EQ(grid::time_left(std::chrono::seconds(10), 5, 3), std::chrono::seconds(6));
  EXPECT_EQ(grid::time_text(std::chrono::seconds(59)), "59 s");
  EXPECT_EQ(grid::time_text(std::chrono::seconds(61)), "1 min 01 s");
  EXPECT_EQ(grid::time_text(std::chrono::seconds(3725)), "1 h 02 min");
}

}  // namespace
}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// The columns of a grid's table, from its plan, its states, its configurations and its summaries.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "host/grid/table/results.hpp"
#include "host/grid/table/status_text.hpp"
#include "tests/grid/fake_cell.hpp"

namespace strata::test {
namespace {

class Results : public testing::Test {
 protected:
  Results() {
    folder_.write_plan(plan_);
    states_[0].status = grid::Status::kOk;
    states_[0].attempt = 1;
    temporary_.write("cells/" + plan_.cells[0].id + "/run-1/summary.json", summary_text(5));
    states_[0].result = grid::read_result(folder_.run(plan_.cells[0].id, 1));
  }

  TemporaryFolder temporary_;
  grid::Plan plan_ = test::plan("axes: {accumulation: [1, 2]}").plan;
  grid::GridFolder folder_{temporary_.path()};
  std::vector<grid::CellState> states_{2};
};

TEST_F(Results, AreAnyColumns) {
  const grid::Table table = results_table(folder_, plan_, states_,
                                          {"id", "accumulation", "peak_allocated", "optimizer.lr",
                                           "checkpointing", "window.last_step", "peak.reserved_bytes"});
  EXPECT_EQ(table.rows[0][0].text, plan_.cells[0].id);
  EXPECT_EQ(table.rows[1][1].text, "2");
  EXPECT_EQ(table.rows[0][2].number, 5.0);
  EXPECT_FALSE(table.rows[1][2].number);
  EXPECT_EQ(table.rows[0][3].text, "0.001");
  EXPECT_EQ(table.rows[0][4].text, "none");
  EXPECT_EQ(table.rows[0][5].number, 1.0);
  EXPECT_EQ(table.columns[6].kind, grid::ColumnKind::kBytes);
}

TEST_F(Results, SayWhatThereIsWhereAColumnIsNot) {
  try {
    results_table(folder_, plan_, states_, {"peak_alocated"});
    FAIL();
  } catch (const grid::ColumnError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean 'peak_allocated'?"), std::string::npos)
        << error.what();
  }
}

TEST_F(Results, ShowReasonsWhereThereAreAny) {
  EXPECT_EQ(usual_columns(plan_, states_),
            (std::vector<std::string>{"id", "accumulation", "status", "parameters", "peak_allocated",
                                      "peak_reserved", "step_time"}));
  states_[1].reason = "gone";
  EXPECT_EQ(usual_columns(plan_, states_).back(), "reason");
}

TEST_F(Results, OfDryCellsShowTimesOfTheDeviceAlone) {
  states_[0].result->measured = false;
  const auto columns = usual_columns(plan_, states_);
  EXPECT_EQ(columns.back(), "peak_reserved");
  states_[0].result->measures[grid::Measure::kModelledStepTime] = 2e6;
  EXPECT_EQ(usual_columns(plan_, states_).back(), "modelled_step_time");
}

TEST_F(Results, AreAStatusForScripts) {
  const auto json = nlohmann::json::parse(grid::status_json(plan_, states_));
  EXPECT_EQ(json["cells"][0]["id"], plan_.cells[0].id);
  EXPECT_EQ(json["cells"][0]["status"], "ok");
  EXPECT_EQ(json["cells"][1]["status"], "planned");
  EXPECT_EQ(json["cells"][0]["measures"]["peak_allocated"], 5);
  EXPECT_TRUE(json["cells"][1]["measures"]["peak_allocated"].is_null());
  EXPECT_EQ(json["counts"]["ok"], 1);
}

}  // namespace
}  // namespace strata::test

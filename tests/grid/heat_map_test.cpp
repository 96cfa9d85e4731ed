// SPDX-License-Identifier: Apache-2.0
#include "host/grid/table/heat_map.hpp"

#include <gtest/gtest.h>

namespace strata::test {
namespace {

grid::CellState state_of(grid::Status status, std::optional<double> peak) {
  grid::CellState state;
  state.status = status;
  if (peak) {
    state.result.emplace();
    state.result->measures[grid::Measure::kPeakAllocated] = peak;
  }
  return state;
}

grid::Cell at(const std::string& x, const std::string& y, const std::string& seed) {
  grid::Cell cell;
  cell.settings = {{"x", x}, {"y", y}, {"seed", seed}};
  return cell;
}

TEST(HeatMap, IsTheMedianOfWhatElseDiffers) {
  grid::Plan plan;
  plan.axes = {"x", "y", "seed"};
  plan.cells = {at("1", "a", "0"), at("1", "a", "1"), at("1", "a", "2"), at("2", "a", "0"),
                at("1", "b", "0")};
  const std::vector<grid::CellState> states{
      state_of(grid::Status::kOk, 10.0), state_of(grid::Status::kOk, 30.0), state_of(grid::Status::kOk, 20.0),
      state_of(grid::Status::kOutOfMemory, {}), state_of(grid::Status::kOk, 5.0)};
  const grid::HeatMap map = heat_map(plan, states, "x", "y", grid::Measure::kPeakAllocated);
  EXPECT_EQ(map.columns, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(map.rows, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(map.fields[0][0].value.number, 20.0);
  EXPECT_EQ(map.fields[0][0].value.least, 10.0);
  EXPECT_EQ(map.fields[0][1].status, "oom");
  EXPECT_FALSE(map.fields[0][1].value.number);
  EXPECT_EQ(map.fields[1][0].value.number, 5.0);
  EXPECT_TRUE(map.fields[1][1].status.empty());  // no such cell
  EXPECT_EQ(widest_axes(plan)->first, "x");
}

}  // namespace
}  // namespace strata::test

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

TEST(HeatMap, IsTheMedianOverSeeds) {
  grid::Plan plan;
  plan.axes = {"x", "y", "seed"};
  plan.cells = {at("1", "a", "0"), at("1", "a", "1"), at("1", "a", "2"), at("2", "a", "0"),
                at("1", "b", "0")};
  const std::vector<grid::CellState> states{
      state_of(grid::Status::kOk, 10.0), state_of(grid::Status::kOk, 30.0), state_of(grid::Status::kOk, 20.0),
      state_of(grid::Status::kOutOfMemory, {}), state_of(grid::Status::kOk, 5.0)};
  const grid::HeatMaps all = heat_maps(plan, states, "x", "y", grid::Measure::kPeakAllocated);
  ASSERT_EQ(all.maps.size(), 1U);
  EXPECT_EQ(all.folded, std::vector<std::string>{"seed"});
  const grid::HeatMap& map = all.maps.front();
  EXPECT_EQ(map.further, "");
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

grid::Plan with_further(int values) {
  grid::Plan plan;
  plan.axes = {"x", "y", "z"};
  for (int z = 0; z < values; ++z) {
    for (const char* const x : {"1", "2"}) {
      for (const char* const y : {"a", "b"})
        plan.cells.emplace_back().settings = {{"x", x}, {"y", y}, {"z", std::to_string(z)}};
    }
  }
  return plan;
}

std::vector<grid::CellState> counted(const grid::Plan& plan) {
  std::vector<grid::CellState> states;
  for (std::size_t index = 0; index < plan.cells.size(); ++index)
    states.push_back(state_of(grid::Status::kOk, static_cast<double>(index)));
  return states;
}

TEST(HeatMap, IsOneForEachValueOfAFurtherAxis) {
  const grid::Plan plan = with_further(2);
  const grid::HeatMaps all = heat_maps(plan, counted(plan), "x", "y", grid::Measure::kPeakAllocated);
  ASSERT_EQ(all.maps.size(), 2U);
  EXPECT_TRUE(all.folded.empty());
  EXPECT_EQ(all.maps[0].further, "z=0");
  EXPECT_EQ(all.maps[0].fields[1][0].value.number, 1.0);
  EXPECT_EQ(all.maps[1].further, "z=1");
  EXPECT_EQ(all.maps[1].fields[1][0].value.number, 5.0) << "and not 3, which no cell has";
}

TEST(HeatMap, FoldsAnAxisOfTooManyValues) {
  const grid::Plan most = with_further(grid::kMostHeatMaps), more = with_further(grid::kMostHeatMaps + 1);
  EXPECT_EQ(heat_maps(most, counted(most), "x", "y", grid::Measure::kPeakAllocated).maps.size(),
            grid::kMostHeatMaps);
  const grid::HeatMaps all = heat_maps(more, counted(more), "x", "y", grid::Measure::kPeakAllocated);
  ASSERT_EQ(all.maps.size(), 1U);
  EXPECT_EQ(all.folded, std::vector<std::string>{"z"});
  EXPECT_EQ(all.maps[0].further, "");
  EXPECT_EQ(all.maps[0].fields[0][0].value.number, 12.0);
}

TEST(HeatMap, LeavesOutTheCellsOfNeitherAxis) {
  grid::Plan plan = with_further(1);
  plan.axes.emplace_back("include");
  plan.cells.emplace_back().settings = {{"include", "baseline"}};
  const grid::HeatMaps all = heat_maps(plan, counted(plan), "x", "y", grid::Measure::kPeakAllocated);
  ASSERT_EQ(all.maps.size(), 1U);
  EXPECT_TRUE(all.folded.empty());
}

}  // namespace
}  // namespace strata::test

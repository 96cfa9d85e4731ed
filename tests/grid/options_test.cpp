// SPDX-License-Identifier: Apache-2.0
#include "host/grid/file/options.hpp"

#include <gtest/gtest.h>

#include "tests/grid/grid_text.hpp"

namespace strata::test {
namespace {

TEST(Options, AreRead) {
  const grid::Options options =
      read(
          "limits: {max_cells: 5, timeout: 10m, on_oom: stop, on_fail: stop, skip_dominated: [seed]}\naxes: "
          "{seed: [1]}\n"
          "engine: {kind: local, slots: 3, memory: 2GiB, cells_per_gpu: 2, predict: no}")
          .options;
  EXPECT_EQ(options.limits.max_cells, 5U);
  EXPECT_EQ(options.limits.timeout, std::chrono::seconds(600));
  EXPECT_EQ(options.limits.on_oom, grid::After::kStop);
  EXPECT_EQ(options.limits.on_fail, grid::After::kStop);
  EXPECT_EQ(options.limits.skip_dominated, std::vector<std::string>{"seed"});
  EXPECT_EQ(options.engine.slots, 3);
  EXPECT_EQ(options.engine.memory_bytes, std::uint64_t{2} << 30);
  EXPECT_EQ(options.engine.cells_per_gpu, 2);
  EXPECT_FALSE(options.engine.predicts);
}

TEST(Options, HaveDefaults) {
  const grid::Options options =
      read("engine: {slots: auto, memory: auto}\nlimits: {on_oom: record, on_fail: continue}").options;
  EXPECT_FALSE(options.engine.slots);
  EXPECT_FALSE(options.engine.memory_bytes);
  EXPECT_EQ(options.limits.on_oom, grid::After::kGoOn);
  EXPECT_FALSE(options.limits.timeout);
}

TEST(Options, TakeTimes) {
  EXPECT_EQ(grid::parse_duration("90"), std::chrono::seconds(90));
  EXPECT_EQ(grid::parse_duration("90s"), std::chrono::seconds(90));
  EXPECT_EQ(grid::parse_duration("2h"), std::chrono::seconds(7200));
  for (const char* const text : {"", "s", "-1", "0", "1.5s", "99999999h", "1d"})
    EXPECT_FALSE(grid::parse_duration(text)) << text;
}

}  // namespace
}  // namespace strata::test

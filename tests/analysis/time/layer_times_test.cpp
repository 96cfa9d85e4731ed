// SPDX-License-Identifier: Apache-2.0
// Time by module, as a tree that adds up.
#include <gtest/gtest.h>

#include "strata/ext/activity.h"
#include "strata/ext/phase.h"
#include "tests/analysis/time/timed_run.hpp"

namespace strata::analysis {
namespace {

using testing::find_row;
using testing::TimedRun;

TEST(LayerTimes, AddUpFromTheLeavesToTheWhole) {
  TimedRun run;
  run.step(0, 0, 1000);
  run.phase("forward", STRATA_PHASE_FORWARD, 0, 900);
  const auto first = run.module("layers.0.attention", 0, 100), second = run.module("layers.0", 100, 200),
             third = run.module("layers.1", 200, 300);
  run.op("a", {.begin_ns = 10, .end_ns = 40, .module = first});
  const auto with_kernel = run.op("b", {.begin_ns = 110, .end_ns = 120, .module = second});
  run.op("c", {.begin_ns = 210, .end_ns = 270, .module = third});
  run.op("d", {.begin_ns = 400, .end_ns = 405});
  run.device(STRATA_ACTIVITY_KERNEL, 500, 600).op = with_kernel;
  const TimeFacts facts = run.facts();
  ASSERT_FALSE(facts.layers.empty());
  const LayerTime& all = facts.layers.front();
  EXPECT_EQ(all.path, "");
  EXPECT_EQ(all.total.host_ns(), 30 + 10 + 60 + 5);
  EXPECT_EQ(all.total.device_ns, 100);
  EXPECT_EQ(all.total.operators, 4u);
  const auto* layers = find_row(facts.layers, &LayerTime::path, std::string("layers"));
  const auto* block = find_row(facts.layers, &LayerTime::path, std::string("layers.0"));
  const auto* outside = find_row(facts.layers, &LayerTime::path, std::string("(forward)"));
  ASSERT_TRUE(layers != nullptr && block != nullptr && outside != nullptr);
  EXPECT_EQ(layers->total.host_ns(), 100);
  EXPECT_EQ(layers->self.host_ns(), 0);
  EXPECT_EQ(block->total.host_ns(), 40);
  EXPECT_EQ(block->self.host_ns(), 10);
  EXPECT_EQ(block->self.device_ns, 100);
  EXPECT_EQ(block->depth, 2u);
  EXPECT_EQ(block->label, "0");
  EXPECT_EQ(outside->total.host_ns(), 5);
  LayerTime::Amount sum;
  for (const LayerTime& layer : facts.layers) {
    sum.forward_ns += layer.self.forward_ns;
    sum.device_ns += layer.self.device_ns;
  }
  EXPECT_EQ(sum.forward_ns, all.total.forward_ns);
  EXPECT_EQ(sum.device_ns, all.total.device_ns);
}

TEST(LayerTimes, OfNoOperatorAreNone) {
  TimedRun run;
  run.step(0, 0, 1000);
  EXPECT_TRUE(run.facts().layers.empty());
}

}  // namespace
}  // namespace strata::analysis

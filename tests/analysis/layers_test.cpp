// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/layers.hpp"

#include <gtest/gtest.h>

#include "host/analysis/analyse.hpp"
#include "strata/ext/module.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;

constexpr std::int64_t kNumber = 5;

// A node that begins before its module's range, while the range of the previous node is open.
TEST(Layers, OfANodeIsThatOfTheOpThatMadeItWhateverIsOpen) {
  RunBuilder builder;
  builder.step(0, STRATA_STEP_ACTIVE, [&] {
    builder.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      builder.module("layers.0", [&] {
        builder.op(
            "aten::mm", [] {}, STRATA_OP_FORWARD, kNumber);
      });
    });
    builder.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      builder.module(
          "layers.1",
          [&] {
            builder.op("autograd::engine::evaluate_function: MmBackward0", [&] {
              builder.op(
                  "MmBackward0", [] {}, STRATA_OP_BACKWARD, kNumber);
            });
            builder.op(
                "torch::autograd::AccumulateGrad", [] {}, STRATA_OP_BACKWARD);
          },
          STRATA_MODULE_BACKWARD);
    });
  });
  const Recording run = builder.finish();
  const OpTable ops(run);
  const Layers layers(run, ops);
  ASSERT_EQ(ops.size(), 4u);
  const auto layer = [&](OpTable::Index op) { return run.texts[layers.at(ops[op].ordinal, 0)]; };
  EXPECT_EQ(layer(1), "layers.0") << "the engine's own op around the node";
  EXPECT_EQ(layer(2), "layers.0");
  EXPECT_EQ(layer(3), "layers.1") << "no op made it: its range is all that is known";
}

TEST(Layers, OnlyARangeThatRunsAgainMakesABackwardsBlockRecomputed) {
  RunBuilder builder;
  const auto born_and_dead = [&] { builder.free(builder.allocate(64)); };
  builder.step(0, STRATA_STEP_ACTIVE, [&] {
    builder.phase(STRATA_PHASE_FORWARD, "forward", [] {});
    builder.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      builder.module(
          "layers.0",
          [&] {
            born_and_dead();
            const auto again = [&] {
              builder.module("layers.0.mlp", born_and_dead);
              builder.module("layers.0.mlp", born_and_dead, STRATA_MODULE_BACKWARD);
            };
            builder.module("layers.0", again, STRATA_MODULE_RECOMPUTE);
          },
          STRATA_MODULE_BACKWARD);
    });
  });
  const Facts facts = analyse(builder.finish());
  ASSERT_EQ(facts.blocks.size(), 3u);
  EXPECT_EQ(facts.blocks[0].kind, BlockKind::kFlowing);
  EXPECT_EQ(facts.blocks[1].kind, BlockKind::kOpTemp);
  EXPECT_EQ(facts.blocks[2].kind, BlockKind::kFlowing);
  EXPECT_EQ(facts.texts[facts.blocks[2].layer], "layers.0.mlp");
}

}  // namespace
}  // namespace strata::analysis

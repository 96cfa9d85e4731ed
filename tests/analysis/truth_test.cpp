// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/truth.hpp"

#include <gtest/gtest.h>

#include "strata/ext/module.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/analysis/odd_run.hpp"
#include "tests/analysis/training_run.hpp"

namespace strata::analysis {
namespace {

const ConfusionCell& cell(const Confusion& confusion, Category truth, Category rule) {
  return confusion.cells[static_cast<std::size_t>(truth)][static_cast<std::size_t>(rule)];
}

// Also for a run in which nothing was saved, which analyse() omits.
Confusion compare(const Recording& run) {
  const BlockTable table = build_blocks(run);
  const OpTable ops(run);
  const StepStructure structure(run);
  return compare_with_truth(table, ops, EvidenceGatherer(run, table, ops, structure));
}

TEST(Truth, LifetimesAreAsGoodOnATrainingRun) {
  const testing::TrainingRun run = testing::make_training_run();
  const Confusion confusion = compare(run.recording);
  EXPECT_GT(confusion.saved_blocks, 0u);
  EXPECT_EQ(confusion.off_diagonal().blocks, 0u);
  EXPECT_EQ(confusion.off_diagonal().bytes, 0u);
  EXPECT_TRUE(confusion.disagreements.empty());
  std::uint64_t blocks = 0;
  for (const auto& row : confusion.cells) {
    for (const ConfusionCell& one : row) blocks += one.blocks;
  }
  EXPECT_GT(blocks, 0u);
  EXPECT_EQ(blocks, confusion.compared_blocks);
  EXPECT_LT(blocks, run.expected.size());  // both agree on owners, temporaries and the like
  EXPECT_TRUE(confusion.holds());
}

// Only saved tensors can identify these: a discarded graph, and one held beyond its backward.
TEST(Truth, CountsWhereLifetimesAreWrong) {
  const Confusion confusion = compare(testing::make_retained_run().recording);
  EXPECT_EQ(cell(confusion, Category::kActivation, Category::kTemporary).blocks, 2u);  // dropped; recomputed
  EXPECT_EQ(cell(confusion, Category::kActivation, Category::kTemporary).bytes, 6000u);
  EXPECT_EQ(confusion.off_diagonal().bytes, 6000u);
  ASSERT_EQ(confusion.disagreements.size(), 3u);
  EXPECT_EQ(confusion.disagreements[0].truth_kind, BlockKind::kRecompute);
  EXPECT_EQ(confusion.disagreements[0].rule_kind, BlockKind::kOpTemp);
  EXPECT_EQ(confusion.disagreements[2].truth_kind, BlockKind::kRetained);
  EXPECT_EQ(confusion.disagreements[2].rule_kind, BlockKind::kForwardResidue);
  EXPECT_EQ(confusion.disagreements[2].size.bytes, 1000u);
  EXPECT_EQ(confusion.disagreements[2].first_block, 0u);
  EXPECT_FALSE(confusion.holds());
}

// Lifetimes cannot identify a discarded graph: `mode: forward_grad`.
TEST(Truth, AForwardThatNoBackwardFollowsIsNotCompared) {
  testing::RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      for (const bool outlives_the_phase : {false, true}) {
        const std::uint64_t block = run.allocate(700);
        run.release(run.save(block));
        if (!outlives_the_phase) run.free(block);
      }
    });
  });
  const Confusion confusion = compare(run.finish());
  EXPECT_EQ(confusion.saved_blocks, 2u);
  EXPECT_EQ(confusion.compared_blocks, 0u);
  EXPECT_TRUE(confusion.disagreements.empty());
  EXPECT_TRUE(confusion.holds());
}

TEST(Truth, WhatWasSavedOutsideOfAnyForwardIsCompared) {
  testing::RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    const std::uint64_t block = run.allocate(700);
    run.release(run.save(block));
    run.free(block);
  });
  const Confusion confusion = compare(run.finish());
  EXPECT_EQ(confusion.compared_blocks, 1u);
  ASSERT_EQ(confusion.disagreements.size(), 1u);
  EXPECT_EQ(confusion.disagreements[0].truth_kind, BlockKind::kSaved);
  EXPECT_EQ(confusion.disagreements[0].rule_kind, BlockKind::kOpTemp);
}

// As the output of a layer that reentrant checkpointing recomputes; its graph need not have saved it.
TEST(Truth, WhatALayerMadeThatRanAgainIsNoGradient) {
  testing::RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_FORWARD, "forward", [] {});
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      std::uint64_t block = 0;
      run.module(
          "block", [&] { block = run.allocate(700); }, STRATA_MODULE_RECOMPUTE);
      run.free(block);
    });
  });
  const Confusion confusion = compare(run.finish());
  EXPECT_EQ(confusion.off_diagonal().blocks, 0u);
  ASSERT_EQ(confusion.disagreements.size(), 1u);
  EXPECT_EQ(confusion.disagreements[0].truth_category, Category::kActivation);
  EXPECT_EQ(confusion.disagreements[0].truth_kind, BlockKind::kForwardResidue);
  EXPECT_EQ(confusion.disagreements[0].rule_kind, BlockKind::kRecompute);
}

// Each op's blocks have their own causes.
TEST(Truth, TellsDisagreementsApartByTheOpThatMadeThem) {
  testing::RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    std::vector<std::uint64_t> blocks;
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      for (const char* name : {"aten::where", "aten::where", "aten::mul"}) {
        run.op(name, [&] { blocks.push_back(run.allocate(700)); });
      }
    });
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      for (const std::uint64_t block : blocks) run.free(block);
    });
  });
  const Recording recording = run.finish();
  const Confusion confusion = compare(recording);
  ASSERT_EQ(confusion.disagreements.size(), 2u);
  EXPECT_EQ(recording.texts[confusion.disagreements[0].op], "aten::where");
  EXPECT_EQ(confusion.disagreements[0].size.blocks, 2u);
  EXPECT_EQ(recording.texts[confusion.disagreements[1].op], "aten::mul");
}

// Its lifetime is that of an activation, but the program holds it, not the graph.
TEST(Truth, KnowsWhatTheGraphDoesNotHold) {
  testing::RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    std::uint64_t block = 0;
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] { block = run.allocate(700); });
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] { run.free(block); });
  });
  const Confusion confusion = compare(run.finish());
  ASSERT_EQ(confusion.disagreements.size(), 1u);
  EXPECT_EQ(confusion.disagreements[0].truth_kind, BlockKind::kForwardResidue);
  EXPECT_EQ(confusion.disagreements[0].rule_kind, BlockKind::kSaved);
  EXPECT_EQ(confusion.disagreements[0].size.bytes, 700u);
}

}  // namespace
}  // namespace strata::analysis

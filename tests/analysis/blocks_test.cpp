// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/blocks.hpp"

#include <gtest/gtest.h>

#include "host/report/words/warnings.hpp"
#include "strata/ext/tensor.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;

TEST(Blocks, AnAddressUsedAgainIsAnotherBlock) {
  RunBuilder run;
  run.allocate_at(0x1000, 100);
  run.tensor(STRATA_TENSOR_PARAMETER, "first", 0x1000);
  run.free(0x1000);
  run.allocate_at(0x1000, 200);
  run.tensor(STRATA_TENSOR_INPUT, "second", 0x1000);
  const Recording recording = run.finish();
  const BlockTable table = build_blocks(recording);

  ASSERT_EQ(table.blocks.size(), 2u);
  EXPECT_EQ(table.blocks[0].role, STRATA_TENSOR_PARAMETER);
  EXPECT_EQ(table.blocks[0].bytes, 100u);
  EXPECT_EQ(table.blocks[0].death_sequence, 3u);
  EXPECT_EQ(table.blocks[1].role, STRATA_TENSOR_INPUT);
  EXPECT_EQ(table.blocks[1].bytes, 200u);
  EXPECT_EQ(table.blocks[1].death_sequence, kNever);
  EXPECT_EQ(table.changes.size(), 3u);
  EXPECT_TRUE(table.warnings.empty());
}

TEST(Blocks, ARegistrationBindsToTheBlockThatHoldsItsAddress) {
  RunBuilder run;
  run.allocate_at(0x1000, 256);
  run.allocate_at(0x2000, 256);
  run.tensor(STRATA_TENSOR_GRADIENT, "inside", 0x1000 + 255);
  run.tensor(STRATA_TENSOR_LOSS, "just behind", 0x2000 + 256);
  const Recording recording = run.finish();
  const BlockTable table = build_blocks(recording);

  EXPECT_EQ(table.blocks[0].role, STRATA_TENSOR_GRADIENT);
  EXPECT_EQ(table.blocks[1].role, 0u);
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_TRUE(report::warning_text(table.warnings[0]).starts_with("1 registered tensors"));
}

TEST(Blocks, ARegistrationAfterTheDeathIsOfNoBlock) {
  RunBuilder run;
  run.allocate_at(0x1000, 256);
  run.free(0x1000);
  run.tensor(STRATA_TENSOR_PARAMETER, "late", 0x1000);
  const Recording recording = run.finish();
  EXPECT_EQ(build_blocks(recording).blocks[0].role, 0u);
}

TEST(Blocks, TheStrongerOfTwoRolesCountsInEitherOrder) {
  for (const bool parameter_first : {true, false}) {
    RunBuilder run;
    run.allocate_at(0x1000, 256);
    run.tensor(parameter_first ? STRATA_TENSOR_PARAMETER : STRATA_TENSOR_LOGITS, "a", 0x1000);
    run.tensor(parameter_first ? STRATA_TENSOR_LOGITS : STRATA_TENSOR_PARAMETER, "b", 0x1000);
    const Recording recording = run.finish();
    const BlockTable table = build_blocks(recording);
    EXPECT_EQ(table.blocks[0].role, STRATA_TENSOR_PARAMETER);
    EXPECT_EQ(recording.texts[table.blocks[0].name], parameter_first ? "a" : "b");
  }
}

TEST(Blocks, TheShapeAndDtypeAreTheOwners) {
  RunBuilder run;
  run.allocate_at(0x1000, 4096);
  run.tensor(STRATA_TENSOR_GRADIENT, "weight", 0x1000, 0, "bfloat16", "2048");
  run.tensor(STRATA_TENSOR_PARAMETER, "weight", 0x1000, 0, "float32", "32x32");
  run.tensor(STRATA_TENSOR_INPUT, "view", 0x1000, 0, "int64", "8");
  run.allocate_at(0x4000, 4096);
  const Recording recording = run.finish();
  const BlockTable table = build_blocks(recording);
  EXPECT_EQ(recording.texts[table.blocks[0].form.dtype], "float32");
  EXPECT_EQ(recording.texts[table.blocks[0].form.shape], "32x32");
  EXPECT_EQ(table.blocks[1].form, TensorForm());
}

TEST(Blocks, ACastThatIsNoParametersKeepsNoForm) {
  RunBuilder run;
  run.allocate_at(0x1000, 256);
  run.allocate_at(0x2000, 128);
  run.tensor(STRATA_TENSOR_AUTOCAST_COPY, "", 0x2000, 0x1000, "bfloat16", "64");
  EXPECT_EQ(build_blocks(run.finish()).blocks[1].form, TensorForm());
}

TEST(Blocks, OptimizerStateKnowsItsParameter) {
  RunBuilder run;
  run.allocate_at(0x1000, 256);
  run.allocate_at(0x2000, 256);
  run.tensor(STRATA_TENSOR_PARAMETER, "layers.0.weight", 0x1000);
  run.tensor(STRATA_TENSOR_OPTIMIZER_STATE, "exp_avg", 0x2000, 0x1000);
  const Recording recording = run.finish();
  EXPECT_EQ(build_blocks(recording).blocks[1].parameter, 0u);
}

TEST(Blocks, AMissingFreeEndsTheBlockWhereTheNextIsBorn) {
  RunBuilder run;
  run.allocate_at(0x1000, 100);
  run.allocate_at(0x1000, 300);
  const Recording recording = run.finish();
  const BlockTable table = build_blocks(recording);

  ASSERT_EQ(table.blocks.size(), 2u);
  EXPECT_EQ(table.blocks[0].death_sequence, 2u);
  ASSERT_EQ(table.changes.size(), 2u);
  EXPECT_EQ(table.changes[1].died, 0u);
  EXPECT_EQ(table.changes[1].born, 1u);
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_TRUE(
      report::warning_text(table.warnings[0]).starts_with("1 allocations at an address that was in use"));
}

TEST(Blocks, AFreeOfSomethingUnseenChangesNothing) {
  RunBuilder run;
  run.free(0x5000);
  run.allocate_at(0x1000, 100);
  const Recording recording = run.finish();
  const BlockTable table = build_blocks(recording);

  EXPECT_EQ(table.blocks.size(), 1u);
  EXPECT_EQ(table.changes.size(), 1u);
  ASSERT_EQ(table.warnings.size(), 1u);
  EXPECT_TRUE(report::warning_text(table.warnings[0]).starts_with("1 frees of blocks"));
}

TEST(Blocks, AutogradHoldsUntilTheLastOfItsHoldsEnds) {
  RunBuilder run;
  run.allocate_at(0x1000, 100);
  std::uint64_t first = 0;
  run.module("layers.0", [&] { first = run.save(0x1000); });  // events 2 to 4
  const std::uint64_t second = run.save(0x1000);              // 5
  run.release(second);                                        // 6
  run.release(first);                                         // 7
  run.free(0x1000);
  const Recording recording = run.finish();
  const BlockHistory block = build_blocks(recording).blocks.at(0);

  EXPECT_TRUE(block.saved);
  EXPECT_EQ(block.held_until_sequence, 7u);
  EXPECT_EQ(block.saver_module, 1u);
}

TEST(Blocks, AHoldThatNeverEndsLastsAsLongAsItsBlock) {
  RunBuilder run;
  run.allocate_at(0x1000, 100);
  run.save(0x1000);
  run.free(0x1000);
  run.allocate_at(0x1000, 100);
  const Recording recording = run.finish();
  const BlockTable table = build_blocks(recording);
  EXPECT_EQ(table.blocks[0].held_until_sequence, 3u);
  EXPECT_FALSE(table.blocks[1].saved);
}

}  // namespace
}  // namespace strata::analysis

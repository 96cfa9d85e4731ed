// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/attribution/step_structure.hpp"

#include <gtest/gtest.h>

#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis {
namespace {

using testing::RunBuilder;

// The stage of the allocation made by `body`, the only one in its run.
Stage stage_of_one_block(const std::function<void(RunBuilder&)>& body) {
  RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] { body(run); });
  const Recording recording = run.finish();
  const StepStructure structure(recording);
  return structure.at(recording.memory.at(0).sequence, recording.memory.at(0).phase).stage;
}

void allocate(RunBuilder& run) {
  run.allocate(8);
}

TEST(StepStructure, TheInnermostPhaseDecides) {
  EXPECT_EQ(stage_of_one_block([](RunBuilder& run) {
              run.phase(STRATA_PHASE_OPTIMIZER, "closure",
                        [&] { run.phase(STRATA_PHASE_FORWARD, "forward", [&] { allocate(run); }); });
            }),
            Stage::kForward);
}

TEST(StepStructure, AnUnknownPhaseIsPartOfWhatIsAroundIt) {
  EXPECT_EQ(stage_of_one_block([](RunBuilder& run) {
              run.phase(STRATA_PHASE_BACKWARD, "backward",
                        [&] { run.phase(STRATA_PHASE_OTHER, "mine", [&] { allocate(run); }); });
            }),
            Stage::kBackward);
}

TEST(StepStructure, AllOfAnEvaluationIsEvaluation) {
  EXPECT_EQ(stage_of_one_block([](RunBuilder& run) {
              run.phase(STRATA_PHASE_EVALUATION, "evaluation",
                        [&] { run.phase(STRATA_PHASE_FORWARD, "forward", [&] { allocate(run); }); });
            }),
            Stage::kEvaluation);
}

TEST(StepStructure, AForwardInsideBackwardComputesAgain) {
  EXPECT_EQ(stage_of_one_block([](RunBuilder& run) {
              run.phase(STRATA_PHASE_BACKWARD, "backward",
                        [&] { run.phase(STRATA_PHASE_FORWARD, "forward", [&] { allocate(run); }); });
            }),
            Stage::kRecompute);
}

TEST(StepStructure, TheForwardGoesOnUntilItsBackward) {
  EXPECT_EQ(stage_of_one_block([](RunBuilder& run) {
              run.phase(STRATA_PHASE_FORWARD, "forward", [] {});
              allocate(run);
              run.phase(STRATA_PHASE_BACKWARD, "backward", [] {});
            }),
            Stage::kForward);
  EXPECT_EQ(stage_of_one_block([](RunBuilder& run) {
              run.phase(STRATA_PHASE_FORWARD, "forward", [] {});
              run.phase(STRATA_PHASE_BACKWARD, "backward", [] {});
              allocate(run);
            }),
            Stage::kBetween);
}

TEST(StepStructure, EachMicroBatchHasItsOwnBackward) {
  RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    for (std::uint32_t micro_batch = 0; micro_batch < 2; ++micro_batch) {
      run.micro_batch(micro_batch);
      run.phase(STRATA_PHASE_FORWARD, "forward", [&] { run.allocate(8); });
      run.phase(STRATA_PHASE_LOSS, "loss", [&] { run.allocate(8); });
      run.phase(STRATA_PHASE_BACKWARD, "backward", [] {});
    }
    run.micro_batch(2);
    run.phase(STRATA_PHASE_FORWARD, "no backward follows", [&] { run.allocate(8); });
  });
  const Recording recording = run.finish();
  const StepStructure structure(recording);

  ASSERT_EQ(structure.passes().size(), 3u);
  for (std::size_t block = 0; block < 5; ++block) {
    const MemoryRow& row = recording.memory[block];
    const Pass* pass = structure.at(row.sequence, row.phase).pass;
    ASSERT_NE(pass, nullptr);
    EXPECT_EQ(pass->micro_batch, block / 2);
    EXPECT_EQ(pass->has_backward(), block < 4);
  }
  EXPECT_LT(structure.passes()[0].backward_end, structure.passes()[1].forward_begin);
}

TEST(StepStructure, BackwardsThatNoForwardDividesAreOne) {
  RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_FORWARD, "of one loss", [&] { run.allocate(8); });
    run.phase(STRATA_PHASE_FORWARD, "of another", [&] { run.allocate(8); });
    run.phase(STRATA_PHASE_BACKWARD, "of one loss", [] {});
    run.phase(STRATA_PHASE_BACKWARD, "of another", [] {});
    run.phase(STRATA_PHASE_FORWARD, "the next", [] {});
    run.phase(STRATA_PHASE_BACKWARD, "the next", [] {});
  });
  const Recording recording = run.finish();
  const StepStructure structure(recording);

  ASSERT_EQ(structure.passes().size(), 2u);
  EXPECT_EQ(structure.passes()[0].backward_begin, recording.phases[2].begin_sequence);
  EXPECT_EQ(structure.passes()[0].backward_end, recording.phases[3].end_sequence);
  EXPECT_EQ(structure.passes()[1].forward_begin, recording.phases[4].begin_sequence);
}

TEST(StepStructure, StepsEndWhereTheNextBegins) {
  RunBuilder run;
  run.step(0, STRATA_STEP_ACTIVE, [] {});  // events 1 and 2
  run.allocate(8);                         // 3
  run.step(1, STRATA_STEP_ACTIVE, [] {});  // 4 and 5
  run.allocate(8);                         // 6
  const Recording recording = run.finish();
  const StepStructure structure(recording);
  EXPECT_EQ(structure.step_end(1), 2u);
  EXPECT_EQ(structure.step_end(3), 4u);
  EXPECT_EQ(structure.step_end(6), kNever);
}

}  // namespace
}  // namespace strata::analysis

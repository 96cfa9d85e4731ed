// SPDX-License-Identifier: Apache-2.0
// A loop that marks some of its steps and phases: marked ones are not inferred again, the others are.
#include <gtest/gtest.h>

#include <cstdint>
#include <string_view>

#include "host/runtime/events/loop_inference.hpp"
#include "strata/ext/phase.h"
#include "strata/ext/training.h"
#include "tests/runtime/written_marks.hpp"

namespace strata {
namespace {

class ProgramMarksTest : public testing::Test {
 protected:
  std::uint32_t saw(std::uint32_t what, std::string_view name = "") { return loop_.saw(what, name); }
  std::uint32_t forward() { return saw(STRATA_TRAINING_FORWARD); }
  std::uint32_t backward() {
    saw(STRATA_TRAINING_BACKWARD_BEGIN);
    return saw(STRATA_TRAINING_BACKWARD_END);
  }
  void write() {
    saw(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
    saw(STRATA_TRAINING_PARAMETER_WRITE_END);
  }
  void unmarked_step() {
    forward();
    backward();
    write();
    write();
  }
  std::uint32_t begin(std::uint32_t kind, std::string_view name) {
    return loop_.program_begins_phase(kind, name);
  }
  template <typename Body>
  void phase(std::uint32_t kind, std::string_view name, Body body) {
    const std::uint32_t phase = begin(kind, name);
    body();
    loop_.program_ends_phase(phase);
  }
  template <typename Body>
  void step(std::uint64_t index, Body body) {
    loop_.program_begins_step({.index = index});
    body();
    loop_.program_ends_step(unknown_result());
  }

  WrittenMarks marks_;
  LoopInference loop_{marks_};
};

TEST_F(ProgramMarksTest, MarkedStepsHoldWhatIsConcludedWithinThem) {
  for (std::uint64_t index = 0; index < 2; ++index) step(index, [&] { unmarked_step(); });
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward( ) backward( ) optimizer( ) ] ran step 1 [ forward( ) backward( ) optimizer( ) "
            "] ran");
  EXPECT_EQ(marks_.optimizers(), 2);
}

TEST_F(ProgramMarksTest, StepsThatWereConcludedBeforeAreCountedBefore) {
  unmarked_step();
  forward();
  step(0, [&] { unmarked_step(); });
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward( ) backward( ) optimizer( ) ] ran step 1 [ forward( ) ] not run "
            "step 2 [ forward( ) backward( ) optimizer( ) ] ran");
}

TEST_F(ProgramMarksTest, AStepWithTwoOptimizersIsOneWhereItIsMarked) {
  step(0, [&] {
    unmarked_step();
    unmarked_step();
  });
  EXPECT_EQ(
      marks_.take(),
      "step 0 [ forward( ) backward( ) optimizer( ) micro-batch 1 forward( ) backward( ) optimizer( ) ] ran");
}

TEST_F(ProgramMarksTest, AMarkedForwardIsTheOnlyOneAndTheRestIsConcluded) {
  for (std::uint64_t index = 0; index < 2; ++index) {
    step(index, [&] {
      phase(STRATA_PHASE_FORWARD, "forward", [&] { EXPECT_EQ(forward(), 0U); });
      forward();  // the loss, which is not marked
      backward();
      write();
      write();
    });
  }
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward*( ) backward( ) optimizer( ) ] ran "
            "step 1 [ forward*( ) backward( ) optimizer( ) ] ran");
}

TEST_F(ProgramMarksTest, WhereAllIsMarkedNothingIsConcluded) {
  step(0, [&] {
    phase(STRATA_PHASE_DATA, "data", [] {});
    phase(STRATA_PHASE_FORWARD, "forward", [&] {
      forward();
      phase(STRATA_PHASE_LOSS, "loss", [&] { forward(); });
    });
    phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      EXPECT_EQ(backward(), STRATA_TRAINING_WATCH_FORWARD | STRATA_TRAINING_WATCH_PARAMETER_WRITES);
    });
    phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
      write();
      write();
    });
    phase(STRATA_PHASE_ZERO_GRAD, "zero_grad", [] {});
  });
  EXPECT_EQ(marks_.take(),
            "step 0 [ data*( ) forward*( loss*( ) ) backward*( ) optimizer*( ) zero_grad*( ) ] ran");
  EXPECT_EQ(marks_.optimizers(), 1);
}

TEST_F(ProgramMarksTest, RecomputationIsConcludedWithinAMarkedBackward) {
  step(0, [&] {
    phase(STRATA_PHASE_FORWARD, "forward", [&] { forward(); });
    phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      saw(STRATA_TRAINING_BACKWARD_BEGIN);
      saw(STRATA_TRAINING_RECOMPUTE_BEGIN);
      saw(STRATA_TRAINING_RECOMPUTE_END);
      saw(STRATA_TRAINING_BACKWARD_END);
    });
  });
  EXPECT_EQ(marks_.take(), "step 0 [ forward*( ) backward*( recompute( ) ) ] not run");
}

TEST_F(ProgramMarksTest, MarkedPhasesTellOfStepsThatNobodyMarks) {
  for (int index = 0; index < 2; ++index) {
    phase(STRATA_PHASE_FORWARD, "forward", [] {});
    phase(STRATA_PHASE_BACKWARD, "backward", [] {});
    phase(STRATA_PHASE_OPTIMIZER, "optimizer", [] {});
  }
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward*( ) backward*( ) optimizer*( ) ] ran step 1 [ forward*( ) backward*( ) "
            "optimizer*( ) ] ran");
}

TEST_F(ProgramMarksTest, WithinAnEvaluationNothingIsConcluded) {
  step(0, [&] { unmarked_step(); });
  marks_.take();
  phase(STRATA_PHASE_EVALUATION, "evaluation", [&] {
    phase(STRATA_PHASE_FORWARD, "forward", [&] { forward(); });
    forward();
    backward();
    write();
  });
  EXPECT_EQ(marks_.take(), "evaluation*( forward*( ) )");
}

TEST_F(ProgramMarksTest, APhaseAroundTheLoopStaysOpenOverItsSteps) {
  phase(STRATA_PHASE_OTHER, "epoch", [&] {
    unmarked_step();
    unmarked_step();
    forward();
  });
  EXPECT_EQ(marks_.take(),
            "epoch*( step 0 [ forward( ) backward( ) optimizer( ) ] ran step 1 [ forward( ) backward( ) "
            "optimizer( ) ] ran step 2 [ forward( ) )");
}

TEST_F(ProgramMarksTest, APhaseLeftOpenEndsWithItsStep) {
  std::uint32_t left_open = 0;
  step(0, [&] { left_open = begin(STRATA_PHASE_FORWARD, "forward"); });
  EXPECT_EQ(marks_.take(), "step 0 [ forward*( ) ] not run");
  const std::uint32_t next = begin(STRATA_PHASE_OTHER, "next");
  loop_.program_ends_phase(left_open);
  EXPECT_EQ(marks_.take(), "next*(");
  loop_.program_ends_phase(next);
  EXPECT_TRUE(marks_.nothing_is_open());
}

TEST_F(ProgramMarksTest, AMarkEndsWhatWasConcludedBeforeIt) {
  forward();
  phase(STRATA_PHASE_CLIP, "clip", [] {});
  EXPECT_EQ(marks_.take(), "step 0 [ forward( ) clip*( )");
}

TEST_F(ProgramMarksTest, MarkedMicroBatchesAreNotCountedASecondTime) {
  step(0, [&] {
    for (std::uint32_t batch = 0; batch < 2; ++batch) {
      loop_.program_begins_micro_batch(batch);
      forward();
      backward();
    }
  });
  EXPECT_EQ(marks_.take(),
            "step 0 [ micro-batch 0 forward( ) backward( ) micro-batch 1 forward( ) backward( ) ] not run");
}

TEST_F(ProgramMarksTest, OrdersThatMakeNoSenseNest) {
  std::uint32_t random = 7;
  std::uint32_t phases[3] = {};
  for (int event = 0; event < 20000; ++event) {
    random = random * 1664525U + 1013904223U;
    const std::uint32_t pick = random >> 16, which = pick / 16 % 3;
    switch (pick % 6) {
      case 0:
        phases[which] = begin(pick / 64 % 13, "phase");
        break;
      case 1:
        loop_.program_ends_phase(phases[which]);
        break;
      case 2:
        loop_.program_begins_step({.index = static_cast<std::uint64_t>(event)});
        break;
      case 3:
        loop_.program_ends_step(unknown_result());
        break;
      default:
        saw(pick / 64 % 10, "Optimizer.step#AdamW.step");
    }
    if (HasFailure()) break;
    if (pick % 50 == 0) {
      for (const std::uint32_t phase : phases) loop_.program_ends_phase(phase);
    }
  }
}

// strata.step() of the Python package: one call in each iteration, at any place.
class IterationMarksTest : public ProgramMarksTest {
 protected:
  void batch() {
    saw(STRATA_TRAINING_RANGE_BEGIN, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
    saw(STRATA_TRAINING_RANGE_END, "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__");
  }
  void train() {
    forward();
    backward();
    saw(STRATA_TRAINING_RANGE_BEGIN, "Optimizer.step#SGD.step");
    saw(STRATA_TRAINING_RANGE_END, "Optimizer.step#SGD.step");
  }
};

TEST_F(IterationMarksTest, AtTheEndAStepBeginsWithItsFirstEvidence) {
  for (int step = 0; step < 2; ++step) {
    batch();
    train();
    loop_.program_marks_step(unknown_result());
  }
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ data( ) forward( ) backward( ) SGD.step( ) ] ran "
            "step 1 [ data( ) forward( ) backward( ) SGD.step( ) ] ran");
}

TEST_F(IterationMarksTest, AtTheTopAStepBeginsWithItsMark) {
  for (int step = 0; step < 2; ++step) {
    loop_.program_marks_step(unknown_result());
    train();
  }
  loop_.finish();
  EXPECT_EQ(
      marks_.take(),
      "step 0 [ forward( ) backward( ) SGD.step( ) ] ran step 1 [ forward( ) backward( ) SGD.step( ) ] ran");
}

TEST_F(IterationMarksTest, BehindTheFirstBatchAMarkIsOfItsStep) {
  for (int step = 0; step < 2; ++step) {
    batch();
    loop_.program_marks_step(unknown_result());
    train();
  }
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ data( ) forward( ) backward( ) SGD.step( ) data( ) ] ran "
            "step 1 [ forward( ) backward( ) SGD.step( ) ] ran");
}

TEST_F(IterationMarksTest, TwoOptimizersStepsOfOneIterationAreOneStep) {
  for (int step = 0; step < 2; ++step) {
    loop_.program_marks_step(unknown_result());
    train();
    train();
  }
  loop_.finish();
  EXPECT_EQ(
      marks_.take(),
      "step 0 [ forward( ) backward( ) SGD.step( ) micro-batch 1 forward( ) backward( ) SGD.step( ) ] ran "
      "step 1 [ forward( ) backward( ) SGD.step( ) micro-batch 1 forward( ) backward( ) SGD.step( ) ] ran");
}

TEST_F(IterationMarksTest, WithoutAnyEvidenceMarksAreSteps) {
  for (int step = 0; step < 2; ++step) loop_.program_marks_step(unknown_result());
  loop_.finish();
  EXPECT_EQ(marks_.take(), "step 0 [ ] not run step 1 [ ] not run");
  EXPECT_TRUE(marks_.nothing_is_open());
}

}  // namespace
}  // namespace strata

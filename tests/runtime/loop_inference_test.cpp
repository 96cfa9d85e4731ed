// SPDX-License-Identifier: Apache-2.0
// Infers the steps and phases of typical PyTorch loops from what a source reports.
#include "host/runtime/events/loop_inference.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "strata/ext/phase.h"
#include "strata/ext/training.h"
#include "tests/runtime/written_marks.hpp"

namespace strata {
namespace {

constexpr std::uint32_t kForward = STRATA_TRAINING_FORWARD;
constexpr std::uint32_t kBackwardBegin = STRATA_TRAINING_BACKWARD_BEGIN;
constexpr std::uint32_t kBackwardEnd = STRATA_TRAINING_BACKWARD_END;

constexpr const char* kStep = "Optimizer.step#AdamW.step";
constexpr const char* kZeroGrad = "Optimizer.zero_grad#AdamW.zero_grad";
constexpr const char* kNext = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__";

class LoopInferenceTest : public testing::Test {
 protected:
  std::uint32_t saw(std::uint32_t what, std::string_view name = "") {
    return wanted_ = loop_.saw(what, name);
  }
  void range(std::string_view name) {
    saw(STRATA_TRAINING_RANGE_BEGIN, name);
    saw(STRATA_TRAINING_RANGE_END, name);
  }
  void backward() {
    saw(kBackwardBegin);
    saw(kBackwardEnd);
  }
  void write() {
    saw(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
    saw(STRATA_TRAINING_PARAMETER_WRITE_END);
  }
  bool watches_forward() const { return (wanted_ & STRATA_TRAINING_WATCH_FORWARD) != 0; }
  bool watches_writes() const { return (wanted_ & STRATA_TRAINING_WATCH_PARAMETER_WRITES) != 0; }

  WrittenMarks marks_;
  LoopInference loop_{marks_};
  std::uint32_t wanted_ = 0;
};

TEST_F(LoopInferenceTest, ALoopAsMostAre) {
  for (int step = 0; step < 2; ++step) {
    range(kNext);
    range(kZeroGrad);
    EXPECT_TRUE(watches_forward());
    saw(kForward);
    EXPECT_EQ(wanted_, 0U) << "forward goes unwatched";
    backward();
    range(kStep);
  }
  range(kNext);  // which ends the loader
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ data( ) zero_grad( ) forward( ) backward( ) AdamW.step( ) ] ran "
            "step 1 [ data( ) zero_grad( ) forward( ) backward( ) AdamW.step( ) ] ran "
            "step 2 [ data( )");
}

TEST_F(LoopInferenceTest, WithoutALoaderTheFirstForwardBeginsTheStep) {
  saw(kForward);
  backward();
  range(kStep);
  range(kZeroGrad);  // at the step's end
  saw(kForward);
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward( ) backward( ) AdamW.step( ) zero_grad( ) ] ran step 1 [ forward(");
}

TEST_F(LoopInferenceTest, TheLastStepEndsWithTheRun) {
  saw(kForward);
  backward();
  range(kStep);
  loop_.finish();
  EXPECT_EQ(marks_.take(), "step 0 [ forward( ) backward( ) AdamW.step( ) ] ran");
}

TEST_F(LoopInferenceTest, EachBackwardIsAMicroBatch) {
  for (int batch = 0; batch < 3; ++batch) {
    saw(kForward);
    backward();
  }
  range(kStep);
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward( ) backward( ) micro-batch 1 forward( ) backward( ) micro-batch 2 forward( ) "
            "backward( ) AdamW.step( ) ] ran");
}

// Saving runs on its own thread: the main thread's optimizer ends meanwhile.
TEST_F(LoopInferenceTest, ASavingThatBeginsBeforeAnOptimizerEndsHidesNoStep) {
  for (int step = 0; step < 2; ++step) {
    saw(kForward);
    backward();
    saw(STRATA_TRAINING_RANGE_BEGIN, kStep);
    const std::uint32_t saving = loop_.program_begins_phase(STRATA_PHASE_CHECKPOINT_SAVE, "saving");
    saw(STRATA_TRAINING_RANGE_END, kStep);
    loop_.program_ends_phase(saving);
  }
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward( ) backward( ) AdamW.step( saving*( ) ) ] ran step 1 [ forward( ) backward( ) "
            "AdamW.step( saving*( ) ) ] ran");
}

TEST_F(LoopInferenceTest, TwoOptimizersOfOneIterationShareTheStep) {
  saw(kForward);
  backward();
  range("Optimizer.step#Muon.step");
  range(kStep);
  saw(kForward);
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward( ) backward( ) Muon.step( ) AdamW.step( ) ] ran step 1 [ forward(");
}

TEST_F(LoopInferenceTest, AnOptimizerThatCallsAnotherIsOne) {
  saw(kForward);
  backward();
  saw(STRATA_TRAINING_RANGE_BEGIN, "Optimizer.step#Wrapper.step");
  range(kStep);
  saw(STRATA_TRAINING_RANGE_END, "Optimizer.step#Wrapper.step");
  loop_.finish();
  EXPECT_EQ(marks_.take(), "step 0 [ forward( ) backward( ) Wrapper.step( ) ] ran");
}

TEST_F(LoopInferenceTest, AnOptimizerThatStepsWithinBackwardLiesWithinIt) {
  for (int step = 0; step < 2; ++step) {
    saw(kForward);
    saw(kBackwardBegin);
    for (int parameter = 0; parameter < 2; ++parameter) {
      range(kStep);
      range(kZeroGrad);
    }
    saw(kBackwardEnd);
  }
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ forward( ) backward( AdamW.step( ) zero_grad( ) AdamW.step( ) zero_grad( ) ) ] ran "
            "step 1 [ forward( ) backward( AdamW.step( ) zero_grad( ) AdamW.step( ) zero_grad( ) ) ] ran");
}

TEST_F(LoopInferenceTest, AClosuresForwardAndBackwardLieWithinTheOptimizer) {
  for (int step = 0; step < 2; ++step) {
    range(kNext);
    saw(STRATA_TRAINING_RANGE_BEGIN, kStep);
    EXPECT_TRUE(watches_forward());
    saw(kForward);
    backward();
    saw(STRATA_TRAINING_RANGE_END, kStep);
  }
  loop_.finish();
  EXPECT_EQ(marks_.take(),
            "step 0 [ data( ) AdamW.step( forward( ) backward( ) ) ] ran "
            "step 1 [ data( ) AdamW.step( forward( ) backward( ) ) ] ran");
}

TEST_F(LoopInferenceTest, OptimizersWithoutClosuresAreLookedIntoAFewTimesOnly) {
  for (int step = 0; step < 3; ++step) {
    saw(kForward);
    backward();
    EXPECT_TRUE((saw(STRATA_TRAINING_RANGE_BEGIN, kStep) & STRATA_TRAINING_WATCH_FORWARD) != 0);
    saw(STRATA_TRAINING_RANGE_END, kStep);
    EXPECT_TRUE(watches_forward());
  }
  saw(kForward);
  backward();
  EXPECT_EQ(saw(STRATA_TRAINING_RANGE_BEGIN, kStep), 0U);
}

TEST_F(LoopInferenceTest, RecomputationLiesWithinBackward) {
  saw(kForward);
  saw(kBackwardBegin);
  saw(STRATA_TRAINING_RECOMPUTE_BEGIN);
  saw(STRATA_TRAINING_RECOMPUTE_END);
  saw(STRATA_TRAINING_RECOMPUTE_BEGIN);
  saw(kBackwardEnd);
  EXPECT_EQ(marks_.take(), "step 0 [ forward( ) backward( recompute( ) recompute( ) )");
}

TEST_F(LoopInferenceTest, GradientsMayBeZeroedBetweenForwardAndBackward) {
  saw(kForward);
  range(kZeroGrad);
  backward();
  EXPECT_EQ(marks_.take(), "step 0 [ forward( zero_grad( ) ) backward( )");
}

TEST_F(LoopInferenceTest, AnOptimizerWithoutANameIsWhatWritesParameters) {
  write();  // initialisation
  EXPECT_FALSE(watches_writes());
  saw(kForward);
  backward();
  EXPECT_TRUE(watches_writes());
  write();
  write();
  saw(kForward);
  EXPECT_EQ(marks_.take(), "step 0 [ forward( ) backward( ) optimizer( ) ] ran step 1 [ forward(");
  backward();
  write();
  write();
  EXPECT_EQ(marks_.take(), ") backward( ) optimizer( )")
      << "from the second step on it ends at its last write";
  saw(kForward);
  EXPECT_EQ(marks_.take(), "] ran step 2 [ forward(");
}

TEST_F(LoopInferenceTest, ABackwardThatWasGivenUpEndsAtTheNextEvidence) {
  saw(kForward);
  saw(kBackwardBegin);
  saw(kForward);
  backward();
  EXPECT_EQ(marks_.take(), "step 0 [ forward( ) backward( ) forward( ) backward( )");
}

TEST_F(LoopInferenceTest, AfterBackwardBothAreWatched) {
  saw(kForward);
  saw(kBackwardBegin);
  EXPECT_EQ(saw(kBackwardEnd), STRATA_TRAINING_WATCH_FORWARD | STRATA_TRAINING_WATCH_PARAMETER_WRITES);
}

TEST_F(LoopInferenceTest, OrdersThatMakeNoSenseNest) {
  const std::vector<std::uint32_t> kinds{1, 2, 3, 4, 5, 8, 9, 77};
  std::uint32_t random = 1;
  for (int event = 0; event < 20000; ++event) {
    random = random * 1664525U + 1013904223U;
    const std::uint32_t pick = random >> 16;
    const char* const names[] = {kStep, kZeroGrad, kNext, "user's own"};
    if (pick % 3 == 0) {
      saw(pick % 2 == 0 ? STRATA_TRAINING_RANGE_BEGIN : STRATA_TRAINING_RANGE_END, names[(pick / 8) % 4]);
    } else {
      saw(kinds[(pick / 8) % kinds.size()]);
    }
  }
  loop_.program_begins_step({});
  loop_.program_ends_step(unknown_result());
  EXPECT_TRUE(marks_.nothing_is_open());
}

}  // namespace
}  // namespace strata

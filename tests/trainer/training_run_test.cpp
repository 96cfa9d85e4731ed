// SPDX-License-Identifier: Apache-2.0
// Whole runs through the library's entry point, as `strata` opens it: their results, and how they end.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/trainer/tiny_run.hpp"

namespace strata::trainer {
namespace {

class TrainingRun : public TinyRun {};

TEST_F(TrainingRun, ReportsEveryStep) {
  const Result result = run();
  EXPECT_EQ(result.outcome, Outcome::kDone) << result.message;
  EXPECT_EQ(result.steps, 4u);
  EXPECT_EQ(result.parameters, 2u * 256 * 32 + 2 * (4 * 32 * 32 + 3 * 32 * 64 + 2 * 32) + 32);
  ASSERT_EQ(progress_.size(), 4u);
  EXPECT_EQ(progress_[3].step, 4u);
  EXPECT_EQ(progress_[3].steps, 4u);
  EXPECT_EQ(progress_[3].tokens, 4u * 16);
  EXPECT_GT(progress_[3].step_ns, 0);
  EXPECT_EQ(result.last_loss, progress_[3].loss);
}

TEST_F(TrainingRun, ComputesTheSameForTheSameSeedToTheBit) {
  config_.optimizer.name = config::OptimizerName::kAdamW;
  const Losses first = losses_of_run();
  EXPECT_EQ(first.size(), 4u);
  EXPECT_EQ(first, losses_of_run());
  config_.seed = 1;
  EXPECT_NE(first, losses_of_run());
}

TEST_F(TrainingRun, ComputesTheSameWhenItIsTracedToTheBit) {
  const Losses untraced = losses_of_run();
  EXPECT_EQ(run("traced").outcome, Outcome::kDone);
  EXPECT_EQ(losses_, untraced);
}

TEST_F(TrainingRun, AccumulatesToTheSameAsOneLargeBatch) {
  config_.data.batch_size = 8;
  const Losses whole = losses_of_run();
  config_.data.batch_size = 2;
  config_.accumulation = 4;
  const Losses accumulated = losses_of_run();
  ASSERT_EQ(whole.size(), accumulated.size());
  for (std::size_t step = 0; step < whole.size(); ++step) EXPECT_NEAR(whole[step], accumulated[step], 1e-6);
}

TEST_F(TrainingRun, ZerosGradientsToTheSameEffectWhereverItDoes) {
  config_.accumulation = 2;
  const Losses expected = losses_of_run();
  for (const auto at : {config::ZeroGradAt::kBeforeBackward, config::ZeroGradAt::kStepEnd}) {
    config_.zero_grad.at = at;
    EXPECT_EQ(losses_of_run(), expected);
  }
  config_.zero_grad.set_to_none = false;
  EXPECT_EQ(losses_of_run(), expected);
}

TEST_F(TrainingRun, LearnsText) {
  std::string text;
  for (int line = 0; line < 200; ++line) text += "strata are layers of rock\n";
  config_.data.source = config::DataSource::kText;
  config_.data.files = {folder_.write("text", text)};
  config_.optimizer.name = config::OptimizerName::kAdamW;
  config_.optimizer.lr = 3e-3;
  config_.schedule = {.wait = 0, .warmup = 0, .active = 40, .max_steps = 40};
  const Losses losses = losses_of_run();
  EXPECT_LT(losses.back(), 0.6 * losses.front());
}

TEST_F(TrainingRun, FollowsTheScheduleOfItsLearningRate) {
  config_.optimizer.lr = 0.0;
  const Losses still = losses_of_run();
  config_.optimizer.lr = 0.1;
  config_.optimizer.lr_warmup_steps = 1;
  const Losses warmed_up = losses_of_run();
  EXPECT_EQ(warmed_up[1], still[1]) << "the first step's rate is 0";
  EXPECT_NE(warmed_up[2], still[2]);
}

TEST_F(TrainingRun, ComputesTheSameWithAnyNumberOfWorkersToTheBit) {
  config_.accumulation = 2;
  const Losses expected = losses_of_run();
  for (const std::int64_t workers : {1, 3}) {
    for (const std::int64_t prefetch : {1, 4, 50}) {
      config_.data.workers = workers;
      config_.data.prefetch = prefetch;
      EXPECT_EQ(losses_of_run(), expected) << workers << " workers, " << prefetch << " ahead";
    }
  }
}

TEST_F(TrainingRun, AnInterruptStopsTheWorkers) {
  config_.data.workers = 2;
  config_.data.prefetch = 4;
  config_.schedule = {.wait = 0, .warmup = 0, .active = 1'000'000, .max_steps = 0};
  interrupt_after_ = 2;
  EXPECT_EQ(run("interrupted").outcome, Outcome::kInterrupted);
  EXPECT_EQ(store("interrupted").texts("SELECT value FROM meta WHERE key = 'end'"),
            std::vector<std::string>{"interrupted"});
}

TEST_F(TrainingRun, DataThatAWorkerCannotUseFailsTheStepThatNeedsIt) {
  config_.data.source = config::DataSource::kText;
  config_.data.files = {folder_.write("text", std::string(17, 'a') + '\xff')};
  config_.model.vocab = 200;
  const Result alone = run();
  config_.data.workers = 2;
  config_.data.prefetch = 8;
  const Result ahead = run();
  EXPECT_EQ(ahead.outcome, Outcome::kFailed);
  EXPECT_EQ(ahead.message, alone.message);
  EXPECT_NE(ahead.message.find("token 255 was read"), std::string::npos) << ahead.message;
  EXPECT_EQ(ahead.steps, alone.steps);
}

TEST_F(TrainingRun, AnInterruptBetweenStepsBeginsNoOther) {
  interrupt_after_ = 2;
  const Result result = run("interrupted");
  EXPECT_EQ(result.outcome, Outcome::kInterrupted);
  EXPECT_EQ(result.steps, 2u);
  const Query store = this->store("interrupted");
  EXPECT_EQ(store.texts("SELECT value FROM meta WHERE key = 'end'"), std::vector<std::string>{"interrupted"});
  EXPECT_EQ(store.integer("SELECT count(*) FROM step"), 2);
  EXPECT_EQ(store.integer("SELECT count(*) FROM step WHERE end_sequence IS NULL"), 0);
}

TEST_F(TrainingRun, DataThatIsMissingFailsTheRunWithAMessage) {
  config_.data.source = config::DataSource::kText;
  config_.data.files = {folder_.path() / "gone.txt"};
  const Result result = run("missing");
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_NE(result.message.find("gone.txt"), std::string::npos) << result.message;
  EXPECT_EQ(store("missing").texts("SELECT value FROM meta WHERE key = 'end'"),
            std::vector<std::string>{"failed"});
}

TEST_F(TrainingRun, AModelLargerThanMemoryIsOutOfMemory) {
  config_.model.vocab = std::int64_t{1} << 46;
  const Result result = run("out_of_memory");
  EXPECT_EQ(result.outcome, Outcome::kOutOfMemory);
  EXPECT_NE(result.message.find("out of memory"), std::string::npos) << result.message;
  EXPECT_EQ(result.message.find('\n'), std::string::npos) << result.message;
  EXPECT_EQ(store("out_of_memory").texts("SELECT value FROM meta WHERE key = 'end'"),
            std::vector<std::string>{"out_of_memory"});
}

TEST_F(TrainingRun, AModelThatCannotBeBuiltFailsTheRun) {
  config_.model.heads = 5;
  const Result result = run();
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_NE(result.message.find("must divide"), std::string::npos) << result.message;
}

}  // namespace
}  // namespace strata::trainer

// Whole runs through the library's door, as `strata` opens it, and what they leave in the run store.
#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "host/trainer/entry.hpp"
#include "tests/temporary_folder.hpp"
#include "tests/trainer/query.hpp"
#include "tests/trainer/run_function.hpp"

namespace strata::trainer {
namespace {

namespace fs = std::filesystem;
using Losses = std::vector<double>;

config::RunConfig tiny_config() {
  config::RunConfig config;
  config.name = "tiny";
  config.model = {.name = config::Architecture::kTransformer,
                  .size = "custom",
                  .layers = 2,
                  .d_model = 32,
                  .d_ff = 64,
                  .heads = 4,
                  .vocab = 256,
                  .context = 16,
                  .rope_theta = 10'000.0,
                  .norm_epsilon = 1e-5};
  config.data.batch_size = 4;
  config.optimizer = {.name = config::OptimizerName::kSgd,
                      .impl = config::OptimizerImpl::kLoop,
                      .lr = 0.1,
                      .weight_decay = 0.0,
                      .momentum = 0.0,
                      .beta1 = 0.9,
                      .beta2 = 0.99,
                      .epsilon = 1e-8};
  config.precision = config::Precision::kFp32;
  config.schedule = {.wait = 0, .warmup = 1, .active = 3, .max_steps = 4};
  config.backend.threads = 2;
  return config;
}

class TrainingRun : public testing::Test {
 protected:
  // Runs `config_`; the losses of the steps that ended are kept, and the store when `directory` is given.
  Result run(const std::string& directory = {}) {
    SessionOptions options;
    options.check = true;
    if (!directory.empty()) {
      options.directory = folder_.path() / directory;
      fs::create_directories(options.directory);
    }
    losses_.clear();
    Session session(options);
    return run_function()(
        {config_, session, [this](const Progress& progress) { on_step(progress); }, interrupt_});
  }

  Losses losses_of_run() {
    const Result result = run();
    EXPECT_EQ(result.outcome, Outcome::kDone) << result.message;
    return losses_;
  }

  // The store of the run in `directory`.
  Query store(const std::string& directory) const {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder_.path() / directory / "rank0")) {
      if (entry.path().extension() == ".sqlite") return Query(entry.path());
    }
    throw std::runtime_error("no store in " + directory);
  }

  config::RunConfig config_ = tiny_config();
  std::atomic<int> interrupt_ = 0;
  std::uint64_t interrupt_after_ = std::numeric_limits<std::uint64_t>::max();
  Losses losses_;
  std::vector<Progress> progress_;
  const test::TemporaryFolder folder_;

 private:
  void on_step(const Progress& progress) {
    losses_.push_back(progress.loss.value());
    progress_.push_back(progress);
    if (progress.step == interrupt_after_) interrupt_ = SIGINT;
  }
};

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

TEST_F(TrainingRun, MarksThePhasesInTheirOrder) {
  config_.schedule = {.wait = 0, .warmup = 0, .active = 1, .max_steps = 1};
  config_.accumulation = 2;
  config_.zero_grad.at = config::ZeroGradAt::kBeforeBackward;
  run("phases");
  EXPECT_EQ(store("phases").texts("SELECT name FROM phase ORDER BY begin_sequence"),
            (std::vector<std::string>{"setup", "data", "forward", "loss", "zero_grad", "backward", "data",
                                      "forward", "loss", "backward", "optimizer"}));
  EXPECT_EQ(store("phases").integer("SELECT count(*) FROM phase WHERE end_sequence IS NULL"), 0);
}

TEST_F(TrainingRun, ClipsBetweenBackwardAndOptimizer) {
  const Losses expected = losses_of_run();
  config_.optimizer.clip_norm = 1e9;
  EXPECT_EQ(losses_of_run(), expected) << "gradients of a smaller norm are multiplied by 1";
  config_.optimizer.clip_norm = 1e-3;
  EXPECT_NE(losses_of_run(), expected);
  config_.schedule = {.wait = 0, .warmup = 0, .active = 1, .max_steps = 1};
  run("clipped");
  EXPECT_EQ(store("clipped").texts("SELECT name FROM phase ORDER BY begin_sequence"),
            (std::vector<std::string>{"setup", "zero_grad", "data", "forward", "loss", "backward", "clip",
                                      "optimizer"}));
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

TEST_F(TrainingRun, StepsInBackwardToTheSameEffect) {
  config_.optimizer.name = config::OptimizerName::kAdamW;
  const Losses expected = losses_of_run();
  config_.optimizer.per_layer = true;
  EXPECT_EQ(losses_of_run(), expected);
  config_.schedule = {.wait = 0, .warmup = 0, .active = 2, .max_steps = 2};
  run("per_layer");
  const Query store = this->store("per_layer");
  constexpr int kParameters = 3 + 2 * 9;
  EXPECT_EQ(store.integer("SELECT count(*) FROM phase AS step JOIN phase AS backward ON backward.phase = "
                          "step.parent WHERE step.name = 'optimizer' AND backward.name = 'backward'"),
            2 * kParameters);
  EXPECT_EQ(store.integer("SELECT count(*) FROM phase WHERE name = 'optimizer'"), 2 * kParameters);
  EXPECT_EQ(store.integer("SELECT count(*) FROM tensor WHERE role = 4"), 2 * kParameters);
  EXPECT_EQ(store.integer("SELECT count(*) FROM tensor WHERE role = 5"), 2 * kParameters);
  EXPECT_EQ(store.integer("SELECT sum(optimizer_ran) FROM step"), 2);
}

TEST_F(TrainingRun, CanMakeItsOptimizerStateAtSetUp) {
  config_.optimizer.momentum = 0.9;
  const Losses expected = losses_of_run();
  const char* const kBeforeTheFirstStep =
      "SELECT count(*) FROM tensor WHERE role = 5 AND sequence < (SELECT min(begin_sequence) FROM step)";
  run("real");
  EXPECT_EQ(store("real").integer(kBeforeTheFirstStep), 0);
  config_.optimizer.init_state = config::InitialState::kDummy;
  run("dummy");
  EXPECT_EQ(losses_, expected) << "the momentum of zeros is as good as none";
  EXPECT_EQ(store("dummy").integer(kBeforeTheFirstStep), 3 + 2 * 9);
  EXPECT_EQ(store("dummy").integer("SELECT count(*) FROM tensor WHERE role = 5"), 3 + 2 * 9);
}

TEST_F(TrainingRun, NamesProjectors) {
  config_.optimizer.name = config::OptimizerName::kGaloreAdamW;
  config_.optimizer.rank = 4;
  config_.optimizer.update_proj_gap = 200;
  config_.optimizer.scale = 0.25;
  run("projectors");
  constexpr int kProjections = 2 * 7;
  EXPECT_EQ(store("projectors").integer("SELECT count(*) FROM tensor WHERE role = 6 AND name = 'projector'"),
            kProjections);
  EXPECT_EQ(store("projectors").integer("SELECT count(*) FROM tensor WHERE role = 5"), 2 * (3 + 2 * 9));
}

TEST_F(TrainingRun, ForwardModesComputeLossesAndNoGradients) {
  config_.mode = config::Mode::kForward;
  run("forward");
  const Losses forward = losses_;
  config_.mode = config::Mode::kForwardGrad;
  run("forward_grad");
  EXPECT_EQ(forward, losses_);
  for (const char* mode : {"forward", "forward_grad"}) {
    const Query store = this->store(mode);
    EXPECT_EQ(store.texts("SELECT DISTINCT name FROM phase ORDER BY name"),
              (std::vector<std::string>{"data", "forward", "loss", "setup"}));
    EXPECT_EQ(store.integer("SELECT sum(optimizer_ran) FROM step"), 0);
    EXPECT_EQ(store.integer("SELECT count(*) FROM tensor WHERE role IN (4, 5)"), 0);
  }
}

TEST_F(TrainingRun, SaysWhoOwnsWhat) {
  config_.optimizer.name = config::OptimizerName::kAdamW;
  run("owners");
  const Query store = this->store("owners");
  constexpr int kParameters = 3 + 2 * 9;
  const auto rows = [&](TensorRole role) {
    return store.integer("SELECT count(*) FROM tensor WHERE role = " +
                         std::to_string(static_cast<std::uint32_t>(role)));
  };
  EXPECT_EQ(rows(TensorRole::kParameter), kParameters);
  EXPECT_EQ(rows(TensorRole::kBuffer), 1);
  EXPECT_EQ(rows(TensorRole::kGradient), 4 * kParameters) << "freed and made again each step";
  EXPECT_EQ(rows(TensorRole::kOptimizerState), 2 * kParameters) << "made once";
  EXPECT_EQ(rows(TensorRole::kInput), 4);
  EXPECT_EQ(rows(TensorRole::kTarget), 4);
  EXPECT_EQ(rows(TensorRole::kLogits), 4);
  EXPECT_EQ(rows(TensorRole::kLoss), 4);
  EXPECT_EQ(
      store.integer("SELECT count(*) FROM tensor AS owned LEFT JOIN tensor AS owner ON owner.role = 1 AND "
                    "owner.address = owned.owner_address WHERE owned.role IN (4, 5) AND owner.name IS NULL"),
      0)
      << "gradients and state name a parameter";
  EXPECT_EQ(store.integer("SELECT sum(storage_bytes) FROM tensor WHERE role = 1"),
            static_cast<std::int64_t>(4 * run().parameters));
  EXPECT_EQ(
      store.texts(
          "SELECT dtype || ' ' || shape FROM tensor WHERE name = 'layers.1.ffn.w1.weight' AND role = 1"),
      std::vector<std::string>{"float32 64x32"});
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

TEST_F(TrainingRun, SaysWhatIsPrefetchedAndWhatWasTaken) {
  config_.data.workers = 2;
  config_.data.prefetch = 3;
  run("prefetched");
  const Query store = this->store("prefetched");
  const auto rows = [&](TensorRole role) {
    return store.integer("SELECT count(*) FROM tensor WHERE role = " +
                         std::to_string(static_cast<std::uint32_t>(role)));
  };
  EXPECT_EQ(rows(TensorRole::kPrefetch), 8) << "inputs and targets of four steps";
  EXPECT_EQ(rows(TensorRole::kInput), 4);
  EXPECT_EQ(rows(TensorRole::kTarget), 4);
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

TEST_F(TrainingRun, LeavesOutAStepWhoseGradientsOverflow) {
  config_.precision = config::Precision::kFp16Autocast;
  config_.grad_scaler = {
      .init_scale = 1e38, .growth_factor = 2.0, .backoff_factor = 1e-36, .growth_interval = 2000};
  run("overflow");
  EXPECT_EQ(store("overflow").texts("SELECT optimizer_ran FROM step ORDER BY step"),
            (std::vector<std::string>{"0", "1", "1", "1"}));
  config_.optimizer.clip_norm = 1.0;
  run("overflow_clipped");
  EXPECT_EQ(store("overflow_clipped").texts("SELECT optimizer_ran FROM step ORDER BY step"),
            (std::vector<std::string>{"0", "1", "1", "1"}));
  EXPECT_EQ(store("overflow").texts("SELECT DISTINCT name FROM tensor WHERE role = 7 ORDER BY name"),
            (std::vector<std::string>{"growth_tracker", "scale"}));
}

TEST_F(TrainingRun, MarksWhatRunsAgain) {
  config_.schedule = {.wait = 0, .warmup = 0, .active = 1, .max_steps = 1};
  config_.checkpointing.part = config::CheckpointedPart::kAttention;
  for (const bool reentrant : {false, true}) {
    config_.checkpointing.reentrant = reentrant;
    const std::string name = reentrant ? "reentrant" : "again";
    run(name);
    EXPECT_EQ(store(name).texts("SELECT path FROM module WHERE direction = 2 ORDER BY begin_sequence"),
              (std::vector<std::string>{"layers.1.attn", "layers.0.attn"}));
  }
}

TEST_F(TrainingRun, KeepsGradientStorageWhenItIsOnlyZeroed) {
  config_.zero_grad.set_to_none = false;
  run("zeroed");
  EXPECT_EQ(store("zeroed").integer("SELECT count(*) FROM tensor WHERE role = 4"), 3 + 2 * 9);
}

TEST_F(TrainingRun, MarksTheLayers) {
  config_.schedule = {.wait = 0, .warmup = 0, .active = 1, .max_steps = 1};
  run("layers");
  const auto paths = store("layers").texts("SELECT path FROM module ORDER BY begin_sequence");
  EXPECT_EQ(paths, (std::vector<std::string>{"", "token_embeddings", "layers.0", "layers.0.ln1",
                                             "layers.0.attn", "layers.0.ln2", "layers.0.ffn", "layers.1",
                                             "layers.1.ln1", "layers.1.attn", "layers.1.ln2", "layers.1.ffn",
                                             "ln_final", "lm_head"}));
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

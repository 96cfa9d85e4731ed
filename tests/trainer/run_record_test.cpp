// SPDX-License-Identifier: Apache-2.0
// The content of the run store after whole runs: phases, layers, owners, and the steps that the optimizer
// took.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/trainer/tiny_run.hpp"

namespace strata::trainer {
namespace {

class RunRecord : public TinyRun {};

TEST_F(RunRecord, MarksThePhasesInTheirOrder) {
  config_.schedule = {.wait = 0, .warmup = 0, .active = 1, .max_steps = 1};
  config_.accumulation = 2;
  config_.zero_grad.at = config::ZeroGradAt::kBeforeBackward;
  run("phases");
  EXPECT_EQ(store("phases").texts("SELECT name FROM phase ORDER BY begin_sequence"),
            (std::vector<std::string>{"setup", "data", "forward", "loss", "zero_grad", "backward", "data",
                                      "forward", "loss", "backward", "optimizer"}));
  EXPECT_EQ(store("phases").integer("SELECT count(*) FROM phase WHERE end_sequence IS NULL"), 0);
}

TEST_F(RunRecord, ClipsBetweenBackwardAndOptimizer) {
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

TEST_F(RunRecord, StepsInBackwardToTheSameEffect) {
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

TEST_F(RunRecord, CanMakeItsOptimizerStateAtSetUp) {
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

TEST_F(RunRecord, NamesProjectors) {
  config_.optimizer.name = config::OptimizerName::kGaloreAdamW;
  config_.optimizer.rank = 4;
  config_.optimizer.update_proj_gap = 200;
  config_.optimizer.scale = 0.25;
  run("projectors");
  constexpr int kProjections = 2 * 7;
  EXPECT_EQ(
      store("projectors").integer("SELECT count(*) FROM tensor WHERE role = 6 AND name LIKE 'projector_%'"),
      kProjections);
  EXPECT_EQ(store("projectors").integer("SELECT count(*) FROM tensor WHERE role = 5"), 2 * (3 + 2 * 9));
}

TEST_F(RunRecord, ForwardModesComputeLossesAndNoGradients) {
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

TEST_F(RunRecord, SaysWhoOwnsWhat) {
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

TEST_F(RunRecord, SaysWhatIsPrefetchedAndWhatWasTaken) {
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

TEST_F(RunRecord, LeavesOutAStepWhoseGradientsOverflow) {
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

TEST_F(RunRecord, MarksWhatRunsAgain) {
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

TEST_F(RunRecord, KeepsGradientStorageWhenItIsOnlyZeroed) {
  config_.zero_grad.set_to_none = false;
  run("zeroed");
  EXPECT_EQ(store("zeroed").integer("SELECT count(*) FROM tensor WHERE role = 4"), 3 + 2 * 9);
}

TEST_F(RunRecord, MarksTheLayers) {
  config_.schedule = {.wait = 0, .warmup = 0, .active = 1, .max_steps = 1};
  run("layers");
  const auto paths =
      store("layers").texts("SELECT path FROM module WHERE direction = 0 ORDER BY begin_sequence");
  EXPECT_EQ(paths, (std::vector<std::string>{"", "token_embeddings", "layers.0", "layers.0.ln1",
                                             "layers.0.attn", "layers.0.ln2", "layers.0.ffn", "layers.1",
                                             "layers.1.ln1", "layers.1.attn", "layers.1.ln2", "layers.1.ffn",
                                             "ln_final", "lm_head"}));
}

}  // namespace
}  // namespace strata::trainer

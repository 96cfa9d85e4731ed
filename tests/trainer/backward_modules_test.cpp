// SPDX-License-Identifier: Apache-2.0
// The modules' ranges in backward, in whole runs: their order and nesting, and that recording them changes
// nothing.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tests/trainer/tiny_run.hpp"

namespace strata::trainer {
namespace {

class BackwardModulesOfARun : public TinyRun {
 protected:
  BackwardModulesOfARun() {
    config_.schedule = {.wait = 0, .warmup = 0, .active = 1, .max_steps = 1};
    plugins_ = {{.name = "module_listener", .options = {}, .place = ""}};
  }

  std::vector<std::string> paths(const std::string& run) const {
    return store(run).texts("SELECT path FROM module WHERE direction = 1 ORDER BY begin_sequence");
  }

  const std::vector<std::string> last_first_ = {"",
                                                "lm_head",
                                                "ln_final",
                                                "layers.1",
                                                "layers.1.ffn",
                                                "layers.1.ln2",
                                                "layers.1.attn",
                                                "layers.1.ln1",
                                                "layers.0",
                                                "layers.0.ffn",
                                                "layers.0.ln2",
                                                "layers.0.attn",
                                                "layers.0.ln1",
                                                "token_embeddings"};
};

TEST_F(BackwardModulesOfARun, AreForwardsInReverse) {
  run("plain");
  EXPECT_EQ(paths("plain"), last_first_);
  config_.checkpointing.part = config::CheckpointedPart::kBlocks;
  for (const bool reentrant : {false, true}) {
    config_.checkpointing.reentrant = reentrant;
    const std::string name = reentrant ? "reentrant" : "again";
    run(name);
    EXPECT_EQ(paths(name), last_first_);
  }
}

TEST_F(BackwardModulesOfARun, EachLiesInTheOneAroundItAndInTheBackward) {
  config_.accumulation = 3;
  run("nested");
  const Query store = this->store("nested");
  EXPECT_EQ(store.integer("SELECT count(*) FROM module WHERE direction = 1"), 3 * 14);
  EXPECT_EQ(store.integer("SELECT count(*) FROM module JOIN phase USING (phase) WHERE direction = 1 AND "
                          "phase.name = 'backward' AND module.end_sequence < phase.end_sequence"),
            3 * 14);
  EXPECT_EQ(store.integer("SELECT count(*) FROM module AS inner_one JOIN module AS outer_one ON "
                          "outer_one.module = inner_one.parent WHERE inner_one.direction = 1 AND "
                          "outer_one.direction = 1 AND inner_one.end_sequence < outer_one.end_sequence"),
            3 * 13);
}

TEST_F(BackwardModulesOfARun, OfAnOptimizerThatStepsWithinAreTheSame) {
  config_.optimizer.per_layer = true;
  run("per_layer");
  EXPECT_EQ(paths("per_layer"), last_first_);
}

TEST_F(BackwardModulesOfARun, ComeOfNoForwardWithoutABackward) {
  config_.mode = config::Mode::kForwardGrad;
  run("forward_grad");
  EXPECT_EQ(paths("forward_grad"), std::vector<std::string>{});
}

TEST_F(BackwardModulesOfARun, AreToldOnlyWhenAPluginListens) {
  plugins_.clear();
  run("store_alone");
  EXPECT_EQ(paths("store_alone"), std::vector<std::string>{});
}

TEST_F(BackwardModulesOfARun, ChangeNoLoss) {
  config_.schedule = {.wait = 0, .warmup = 0, .active = 4, .max_steps = 4};
  const std::vector<PluginRequest> listener = std::exchange(plugins_, {});
  const Losses untold = losses_of_run();
  plugins_ = listener;
  ASSERT_EQ(untold.size(), 4u);
  run("told");
  EXPECT_EQ(losses_, untold);
  EXPECT_EQ(paths("told").size(), 4 * last_first_.size());
  config_.checkpointing.part = config::CheckpointedPart::kBlocks;
  config_.checkpointing.reentrant = true;
  plugins_.clear();
  const Losses untold_again = losses_of_run();
  plugins_ = listener;
  run("reported_again");
  EXPECT_EQ(losses_, untold_again);
}

}  // namespace
}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// Compared with PyTorch in Python: tests/peers/transformer/make_fixture.py recorded its results.
// STRATA_TRANSFORMER_FIXTURE may name another file made by it.
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "host/trainer/models/model.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "tests/trainer/peer_fixture.hpp"

namespace strata::trainer {
namespace {

constexpr const char* kTransformerFixture = "STRATA_TRANSFORMER_FIXTURE";

config::ModelConfig model_config(const Dictionary& sizes) {
  config::ModelConfig config;
  config.layers = sizes.integer("layers");
  config.d_model = sizes.integer("d_model");
  config.d_ff = sizes.integer("d_ff");
  config.heads = sizes.integer("heads");
  config.vocab = sizes.integer("vocab");
  config.context = sizes.integer("context");
  config.rope_theta = sizes.number("rope_theta");
  config.norm_epsilon = sizes.number("norm_epsilon");
  return config;
}

config::OptimizerConfig optimizer_config(config::OptimizerName name, const Dictionary& options) {
  config::OptimizerConfig config;
  config.name = name;
  config.lr = options.number("lr");
  config.weight_decay = options.number("weight_decay");
  config.momentum = options.number("momentum");
  config.beta1 = options.number("beta1");
  config.beta2 = options.number("beta2");
  config.epsilon = options.number("epsilon");
  return config;
}

class TransformerPeer : public testing::Test {
 protected:
  std::shared_ptr<Model> peer_model() const {
    std::shared_ptr<Model> model = make_model({.config = model_config(fixture_.dictionary("sizes"))}, {});
    const at::NoGradGuard no_gradients;
    for (auto& parameter : model->named_parameters()) {
      parameter.value().copy_(fixture_.dictionary("weights").tensor(parameter.key()));
    }
    return model;
  }

  at::Tensor loss(Model& model, std::int64_t step) const {
    return at::cross_entropy_loss(model.forward(fixture_.tensor("inputs")[step]).flatten(0, 1),
                                  fixture_.tensor("targets")[step].flatten());
  }

  void expect_same_training(const std::string& optimizer_name, config::OptimizerName name) const {
    const Dictionary expected = fixture_.dictionary("optimizers").dictionary(optimizer_name);
    const std::shared_ptr<Model> model = peer_model();
    const auto optimizer =
        make_optimizer(optimizer_config(name, expected.dictionary("options")), named_parameters(*model));
    const auto losses = expected.at("losses").toListRef();
    for (std::size_t step = 0; step < losses.size(); ++step) {
      optimizer->zero_grad(/*set_to_none=*/true);
      const at::Tensor step_loss = loss(*model, static_cast<std::int64_t>(step));
      step_loss.backward();
      optimizer->step();
      EXPECT_NEAR(step_loss.item<double>(), losses[step].toDouble(), 1e-5) << "step " << step;
    }
    for (const auto& parameter : model->named_parameters()) {
      expect_close(parameter.value(), expected.dictionary("weights").tensor(parameter.key()), 1e-4,
                   parameter.key());
    }
  }

  const Dictionary fixture_ = load_fixture("transformer.pt", kTransformerFixture);
};

TEST_F(TransformerPeer, DrawsTheSameWeightsFromTheSameSeed) {
  torch::manual_seed(static_cast<std::uint64_t>(fixture_.integer("seed")));
  const std::shared_ptr<Model> model = make_model({.config = model_config(fixture_.dictionary("sizes"))}, {});
  const double tolerance = is_made_here(kTransformerFixture) ? 0 : 1e-6;
  for (const auto& parameter : model->named_parameters())
    expect_close(parameter.value(), fixture_.dictionary("weights").tensor(parameter.key()), tolerance,
                 parameter.key());
}

TEST_F(TransformerPeer, ComputesTheSameLogits) {
  const at::Tensor expected = fixture_.tensor("logits");
  const at::Tensor logits = peer_model()->forward(fixture_.tensor("inputs")[0]);
  EXPECT_LE((logits - expected).abs().max().item<double>(), 1e-5);
}

TEST_F(TransformerPeer, ComputesTheSameLossAndGradients) {
  const std::shared_ptr<Model> model = peer_model();
  const at::Tensor first_loss = loss(*model, 0);
  EXPECT_NEAR(first_loss.item<double>(), fixture_.number("loss"), 1e-5);
  first_loss.backward();
  for (const auto& parameter : model->named_parameters()) {
    expect_close(parameter.value().grad(), fixture_.dictionary("gradients").tensor(parameter.key()), 1e-5,
                 parameter.key());
  }
}

TEST_F(TransformerPeer, TrainsAlikeWithAdamW) {
  expect_same_training("adamw", config::OptimizerName::kAdamW);
}

TEST_F(TransformerPeer, TrainsAlikeWithSgd) {
  expect_same_training("sgd", config::OptimizerName::kSgd);
}

TEST_F(TransformerPeer, TrainsAlikeWithSgdMomentumAndDecay) {
  expect_same_training("sgd_momentum", config::OptimizerName::kSgd);
}

TEST_F(TransformerPeer, KeepsTheStateThatPythonNames) {
  const std::shared_ptr<Model> model = peer_model();
  const auto names = [&](config::OptimizerName name, double momentum) {
    config::OptimizerConfig config;
    config.name = name;
    config.lr = 0.1;
    config.momentum = momentum;
    config.beta1 = 0.9;
    config.beta2 = 0.99;
    config.epsilon = 1e-8;
    const auto optimizer = make_optimizer(config, named_parameters(*model));
    EXPECT_TRUE(optimizer->state().empty());
    loss(*model, 0).backward();
    optimizer->step();
    std::vector<std::string> first_parameters;
    for (const OptimizerState& state : optimizer->state()) {
      EXPECT_EQ(state.tensor.sizes(), state.parameter.sizes());
      if (state.parameter.is_same(model->parameters().front())) first_parameters.emplace_back(state.name);
    }
    return first_parameters;
  };
  EXPECT_EQ(names(config::OptimizerName::kAdamW, 0.0), (std::vector<std::string>{"exp_avg", "exp_avg_sq"}));
  EXPECT_EQ(names(config::OptimizerName::kSgd, 0.9), (std::vector<std::string>{"momentum_buffer"}));
  EXPECT_EQ(names(config::OptimizerName::kSgd, 0.0), std::vector<std::string>{});
}

}  // namespace
}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// Compared with transformers: tests/peers/language_models/make_fixture.py recorded the results of its
// models. STRATA_LANGUAGE_MODELS_FIXTURE may name another file made by it.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <ostream>
#include <string>
#include <tuple>

#include "host/trainer/models/model.hpp"
#include "tests/trainer/peer_fixture.hpp"

namespace strata::trainer {
namespace {

using config::Architecture;
using config::Attention;

struct LanguageModel {
  const char* name;
  Architecture architecture;
};

void PrintTo(const LanguageModel& model, std::ostream* out) {
  *out << model.name;
}

config::ModelConfig language_model_config(Architecture architecture, const Dictionary& sizes) {
  config::ModelConfig config;
  config.name = architecture;
  config.layers = sizes.integer("layers");
  config.d_model = sizes.integer("d_model");
  config.d_ff = sizes.integer("d_ff");
  config.heads = sizes.integer("heads");
  config.kv_heads = sizes.integer("kv_heads");
  config.vocab = sizes.integer("vocab");
  config.context = sizes.integer("context");
  config.positions = sizes.integer("positions");
  config.rope_theta = sizes.number("rope_theta");
  config.norm_epsilon = sizes.number("norm_epsilon");
  config.tied = sizes.at("tied").toBool();
  return config;
}

class LanguageModelPeer : public testing::TestWithParam<std::tuple<LanguageModel, Attention>> {
 protected:
  static LanguageModel language_model() { return std::get<LanguageModel>(GetParam()); }

  std::shared_ptr<Model> model() const {
    const auto config = language_model_config(language_model().architecture, peer_.dictionary("sizes"));
    std::shared_ptr<Model> model =
        make_model({.config = config, .attention = std::get<Attention>(GetParam())}, {});
    const Dictionary weights = peer_.dictionary("weights");
    const auto parameters = model->named_parameters();
    EXPECT_EQ(parameters.size(), weights.size()) << "as many weights as transformers has";
    const at::NoGradGuard no_gradients;
    for (const auto& parameter : parameters) {
      const at::Tensor expected = weights.tensor(parameter.key());
      EXPECT_EQ(parameter.value().sizes(), expected.sizes()) << parameter.key();
      parameter.value().copy_(expected);
    }
    return model;
  }

  const Dictionary peer_ =
      load_fixture("language_models.pt", "STRATA_LANGUAGE_MODELS_FIXTURE").dictionary(language_model().name);
};

TEST_P(LanguageModelPeer, ComputesTheSameLogits) {
  const at::Tensor logits = model()->forward(peer_.tensor("inputs"));
  const at::Tensor expected = peer_.tensor("logits");
  ASSERT_EQ(logits.sizes(), expected.sizes());
  EXPECT_LE((logits - expected).abs().max().item<double>(), 1e-4);
}

TEST_P(LanguageModelPeer, ComputesTheSameLossAndGradients) {
  const std::shared_ptr<Model> trained = model();
  const at::Tensor logits = trained->forward(peer_.tensor("inputs"));
  const at::Tensor loss = at::cross_entropy_loss(logits.flatten(0, 1), peer_.tensor("targets").flatten());
  EXPECT_NEAR(loss.item<double>(), peer_.number("loss"), 1e-4);
  loss.backward();
  for (const auto& parameter : trained->named_parameters()) {
    expect_close(parameter.value().grad(), peer_.dictionary("gradients").tensor(parameter.key()), 1e-4,
                 parameter.key());
  }
}

INSTANTIATE_TEST_SUITE_P(Transformers, LanguageModelPeer,
                         testing::Combine(testing::Values(LanguageModel{"llama", Architecture::kLlama},
                                                          LanguageModel{"gpt2", Architecture::kGpt2},
                                                          LanguageModel{"qwen", Architecture::kQwen}),
                                          testing::Values(Attention::kNaive, Attention::kSdpa)),
                         [](const auto& test) {
                           const bool is_naive = std::get<Attention>(test.param) == Attention::kNaive;
                           return std::string(std::get<LanguageModel>(test.param).name) +
                                  (is_naive ? "_naive" : "_sdpa");
                         });

}  // namespace
}  // namespace strata::trainer

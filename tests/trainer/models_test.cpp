// SPDX-License-Identifier: Apache-2.0
// Every size of every architecture, built on the meta device, and the names of its modules.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/config/model_sizes.hpp"
#include "host/trainer/models/model.hpp"

namespace strata::trainer {
namespace {

config::ModelConfig config_of(const config::ModelSize& size) {
  const config::ModelDefaults& defaults = config::defaults_of(size.model);
  config::ModelConfig config;
  config.name = size.model;
  config.layers = size.layers;
  config.d_model = size.d_model;
  config.d_ff = size.d_ff;
  config.heads = size.heads;
  config.kv_heads = size.kv_heads;
  config.vocab = size.vocab;
  config.context = 16;
  config.positions = defaults.positions;
  config.rope_theta = defaults.rope_theta;
  config.norm_epsilon = defaults.norm_epsilon;
  config.tied = defaults.tied;
  config.classes = defaults.classes;
  return config;
}

class EveryModel : public testing::TestWithParam<config::ModelSize> {};

// tests/config/model_sizes_test.cpp compares the formula with the tables' counts.
TEST_P(EveryModel, HasAsManyParametersAsTheFormulaSays) {
  const config::ModelConfig config = config_of(GetParam());
  const auto model = make_model({.config = config}, {{}, at::TensorOptions(at::kMeta)});
  EXPECT_EQ(model->parameter_count(), config::parameter_count(config));
}

INSTANTIATE_TEST_SUITE_P(Sizes, EveryModel,
                         testing::ValuesIn(config::model_sizes().begin(), config::model_sizes().end()));

class EveryResNet : public testing::TestWithParam<config::Architecture> {};

TEST_P(EveryResNet, HasAsManyParametersAsTheFormulaSays) {
  config::ModelConfig config;
  config.name = GetParam();
  config.classes = 1000;
  const auto model = make_model({.config = config}, {{}, at::TensorOptions(at::kMeta)});
  EXPECT_EQ(model->parameter_count(), config::parameter_count(config));
  std::int64_t in_buffers = 0;
  for (const at::Tensor& buffer : model->buffers()) in_buffers += buffer.numel();
  EXPECT_EQ(in_buffers, GetParam() == config::Architecture::kResnet50 ? 53'173 : 9'620);
}

INSTANTIATE_TEST_SUITE_P(Both, EveryResNet,
                         testing::Values(config::Architecture::kResnet18, config::Architecture::kResnet50));

std::vector<std::string> parameter_names(config::Architecture architecture) {
  config::ModelConfig config = config_of({.model = architecture,
                                          .name = "custom",
                                          .d_model = 16,
                                          .d_ff = 32,
                                          .layers = 1,
                                          .heads = 4,
                                          .kv_heads = 2,
                                          .vocab = 31});
  std::vector<std::string> names;
  for (const auto& parameter : make_model({.config = config}, {})->named_parameters())
    names.push_back(parameter.key());
  return names;
}

using Names = std::vector<std::string>;

TEST(Llama, NamesParametersInTheOrderOfTheirUse) {
  EXPECT_EQ(
      parameter_names(config::Architecture::kLlama),
      (Names{"embed_tokens.weight", "layers.0.input_layernorm.weight", "layers.0.self_attn.q_proj.weight",
             "layers.0.self_attn.k_proj.weight", "layers.0.self_attn.v_proj.weight",
             "layers.0.self_attn.o_proj.weight", "layers.0.post_attention_layernorm.weight",
             "layers.0.mlp.gate_proj.weight", "layers.0.mlp.up_proj.weight", "layers.0.mlp.down_proj.weight",
             "norm.weight", "lm_head.weight"}));
}

TEST(Qwen, HasBiasesOfQueriesKeysAndValuesAndNoHeadOfItsOwn) {
  EXPECT_EQ(
      parameter_names(config::Architecture::kQwen),
      (Names{"embed_tokens.weight", "layers.0.input_layernorm.weight", "layers.0.self_attn.q_proj.weight",
             "layers.0.self_attn.q_proj.bias", "layers.0.self_attn.k_proj.weight",
             "layers.0.self_attn.k_proj.bias", "layers.0.self_attn.v_proj.weight",
             "layers.0.self_attn.v_proj.bias", "layers.0.self_attn.o_proj.weight",
             "layers.0.post_attention_layernorm.weight", "layers.0.mlp.gate_proj.weight",
             "layers.0.mlp.up_proj.weight", "layers.0.mlp.down_proj.weight", "norm.weight"}));
}

TEST(Gpt2, NamesParametersInTheOrderOfTheirUse) {
  EXPECT_EQ(parameter_names(config::Architecture::kGpt2),
            (Names{"wte.weight", "wpe.weight", "h.0.ln_1.weight", "h.0.ln_1.bias", "h.0.attn.c_attn.weight",
                   "h.0.attn.c_attn.bias", "h.0.attn.c_proj.weight", "h.0.attn.c_proj.bias",
                   "h.0.ln_2.weight", "h.0.ln_2.bias", "h.0.mlp.c_fc.weight", "h.0.mlp.c_fc.bias",
                   "h.0.mlp.c_proj.weight", "h.0.mlp.c_proj.bias", "ln_f.weight", "ln_f.bias"}));
}

TEST(DistilBert, NamesParametersAsTransformersDoes) {
  EXPECT_EQ(parameter_names(config::Architecture::kDistilBert),
            (Names{"embeddings.word_embeddings.weight",
                   "embeddings.position_embeddings.weight",
                   "embeddings.LayerNorm.weight",
                   "embeddings.LayerNorm.bias",
                   "transformer.layer.0.attention.q_lin.weight",
                   "transformer.layer.0.attention.q_lin.bias",
                   "transformer.layer.0.attention.k_lin.weight",
                   "transformer.layer.0.attention.k_lin.bias",
                   "transformer.layer.0.attention.v_lin.weight",
                   "transformer.layer.0.attention.v_lin.bias",
                   "transformer.layer.0.attention.out_lin.weight",
                   "transformer.layer.0.attention.out_lin.bias",
                   "transformer.layer.0.sa_layer_norm.weight",
                   "transformer.layer.0.sa_layer_norm.bias",
                   "transformer.layer.0.ffn.lin1.weight",
                   "transformer.layer.0.ffn.lin1.bias",
                   "transformer.layer.0.ffn.lin2.weight",
                   "transformer.layer.0.ffn.lin2.bias",
                   "transformer.layer.0.output_layer_norm.weight",
                   "transformer.layer.0.output_layer_norm.bias",
                   "pre_classifier.weight",
                   "pre_classifier.bias",
                   "classifier.weight",
                   "classifier.bias"}));
}

}  // namespace
}  // namespace strata::trainer

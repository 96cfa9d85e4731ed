// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/model.hpp"

#include <gtest/gtest.h>
#include <torch/utils.h>

#include <algorithm>
#include <string>
#include <vector>

namespace strata::trainer {
namespace {

ModelParts sized(std::int64_t layers, std::int64_t d_model, std::int64_t d_ff, std::int64_t heads,
                 std::int64_t vocab = 10'000) {
  ModelParts parts;
  config::ModelConfig& config = parts.config;
  config.layers = layers;
  config.d_model = d_model;
  config.d_ff = d_ff;
  config.heads = heads;
  config.vocab = vocab;
  config.context = 16;
  config.rope_theta = 10'000.0;
  config.norm_epsilon = 1e-5;
  return parts;
}

ModelParts tiny() {
  return sized(2, 16, 32, 4, 31);
}

struct NamedSize {
  const char* name;
  ModelParts parts;
  std::uint64_t parameters;
};

class CourseSizes : public testing::TestWithParam<NamedSize> {};

TEST_P(CourseSizes, HasTheCoursesParameterCount) {
  const auto model = make_model(GetParam().parts, {{}, at::TensorOptions(at::kMeta)});
  EXPECT_EQ(model->parameter_count(), GetParam().parameters);
}

INSTANTIATE_TEST_SUITE_P(Cs336, CourseSizes,
                         testing::Values(NamedSize{"small", sized(12, 768, 3072, 12), 128'625'408},
                                         NamedSize{"medium", sized(24, 1024, 4096, 16), 423'183'360},
                                         NamedSize{"large", sized(36, 1280, 5120, 20), 969'411'840},
                                         NamedSize{"xl_2025", sized(48, 1600, 6400, 25), 1'998'235'200},
                                         NamedSize{"2_7b", sized(32, 2560, 10240, 32), 3'406'809'600},
                                         NamedSize{"10b", sized(50, 4608, 12288, 36), 12'832'823'808}),
                         [](const auto& size) { return std::string("size_") + size.param.name; });

TEST(Transformer, NamesParametersAsTheCourseDoes) {
  const auto model = make_model(sized(1, 16, 32, 4, 31), {});
  std::vector<std::string> names;
  for (const auto& parameter : model->named_parameters()) names.push_back(parameter.key());
  const std::vector<std::string> expected = {"token_embeddings.weight",
                                             "layers.0.attn.q_proj.weight",
                                             "layers.0.attn.k_proj.weight",
                                             "layers.0.attn.v_proj.weight",
                                             "layers.0.attn.output_proj.weight",
                                             "layers.0.ffn.w1.weight",
                                             "layers.0.ffn.w2.weight",
                                             "layers.0.ffn.w3.weight",
                                             "layers.0.ln1.weight",
                                             "layers.0.ln2.weight",
                                             "ln_final.weight",
                                             "lm_head.weight"};
  EXPECT_EQ(names, expected);
}

TEST(Transformer, KeepsOneTableOfPositionsForAllLayers) {
  const auto model = make_model(tiny(), {});
  ASSERT_EQ(model->buffers().size(), 1u);
  EXPECT_EQ(model->buffers().front().sizes(), (std::vector<std::int64_t>{2, 16, 2}));
}

TEST(Transformer, GivesLogitsOfEveryPosition) {
  const at::Tensor tokens = at::randint(31, {3, 7}, at::kLong);
  const at::Tensor logits = make_model(tiny(), {})->forward(tokens);
  EXPECT_EQ(logits.sizes(), (std::vector<std::int64_t>{3, 7, 31}));
  EXPECT_EQ(logits.scalar_type(), at::kFloat);
}

TEST(Transformer, SeesNoLaterToken) {
  const auto model = make_model(tiny(), {});
  at::Tensor tokens = at::randint(31, {1, 16}, at::kLong);
  const at::Tensor before = model->forward(tokens);
  tokens = tokens.clone();
  tokens[0][10] = (tokens[0][10] + 1) % 31;
  const at::Tensor after = model->forward(tokens);
  EXPECT_TRUE(at::equal(before.narrow(1, 0, 10), after.narrow(1, 0, 10)));
  EXPECT_FALSE(at::equal(before.narrow(1, 10, 6), after.narrow(1, 10, 6)));
}

TEST(Transformer, DependsOnTheOrderOfTokens) {
  const auto model = make_model(tiny(), {});
  const at::Tensor tokens = at::arange(8, at::kLong).unsqueeze(0);
  const at::Tensor swapped = tokens.index_select(1, at::tensor({1, 0, 2, 3, 4, 5, 6, 7}, at::kLong));
  EXPECT_FALSE(at::allclose(model->forward(tokens).select(1, 7), model->forward(swapped).select(1, 7)));
}

TEST(Transformer, IsTheSameForTheSameSeed) {
  const auto weights = [](std::uint64_t seed) {
    torch::manual_seed(seed);
    return make_model(tiny(), {})->parameters();
  };
  const auto first = weights(3);
  EXPECT_TRUE(std::ranges::equal(first, weights(3), at::equal));
  EXPECT_FALSE(std::ranges::equal(first, weights(4), at::equal));
}

TEST(Transformer, RefusesHeadsThatDoNotDivideTheModel) {
  try {
    const auto model = make_model(sized(1, 16, 32, 5, 31), {});
    FAIL() << "16 features were divided over 5 heads";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("model.heads (5) must divide model.d_model (16)"),
              std::string::npos)
        << error.what();
  }
}

TEST(Transformer, RefusesAnOddHead) {
  try {
    const auto model = make_model(sized(1, 12, 32, 4, 31), {});
    FAIL() << "3 features were turned in pairs";
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find("d_model / heads is even"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace strata::trainer

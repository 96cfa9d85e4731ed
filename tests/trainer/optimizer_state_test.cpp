// SPDX-License-Identifier: Apache-2.0
// The state of each optimizer: names, roles and bytes, by the formulas of its header.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "host/config/optimizer_defaults.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/optimizers/rules/rules.hpp"

namespace strata::trainer {
namespace {

using Names = std::vector<std::string>;
using config::OptimizerName;

constexpr std::uint64_t kRank = 8;

config::OptimizerConfig config_for(OptimizerName name) {
  const config::OptimizerDefaults defaults = config::defaults_of(name);
  config::OptimizerConfig config;
  config.name = name;
  config.lr = 0.01;
  config.weight_decay = 0.1;
  config.momentum = defaults.momentum;
  config.beta1 = 0.9;
  config.beta2 = defaults.beta2;
  config.epsilon = defaults.epsilon;
  config.rank = kRank;
  config.rank_fraction = 0.125;
  config.update_proj_gap = 200;
  config.scale = 0.25;
  return config;
}

// A projection of a block, 96 x 64, an embedding, 80 x 64, and a norm of 64.
class OptimizerStates : public testing::Test {
 protected:
  void make(const config::OptimizerConfig& config, at::ScalarType format = at::kFloat) {
    at::manual_seed(1);
    parameters_ = {{"layers.0.mlp.up_proj.weight", at::randn({96, 64}, format)},
                   {"embed_tokens.weight", at::randn({80, 64}, format)},
                   {"norm.weight", at::randn({64}, format)}};
    for (const NamedParameter& parameter : parameters_) parameter.tensor.set_requires_grad(true);
    optimizer_ = make_optimizer(config, parameters_);
    EXPECT_TRUE(optimizer_->state().empty()) << "before the first step";
  }

  void make_and_step(const config::OptimizerConfig& config, at::ScalarType format = at::kFloat) {
    make(config, format);
    for (int step = 0; step < 2; ++step) {
      for (const NamedParameter& parameter : parameters_)
        parameter.tensor.mutable_grad() = at::randn_like(parameter.tensor.detach());
      optimizer_->step();
    }
  }

  // The bytes of the storages, each counted once.
  std::uint64_t bytes_of(std::size_t parameter) const {
    std::map<const void*, std::uint64_t> storages;
    for (const OptimizerState& state : states_of(parameter))
      storages[state.tensor.storage().data()] = state.tensor.storage().nbytes();
    std::uint64_t bytes = 0;
    for (const auto& [address, size] : storages) bytes += size;
    return bytes;
  }

  Names names_of(std::size_t parameter) const {
    Names names;
    for (const OptimizerState& state : states_of(parameter)) names.emplace_back(state.name);
    return names;
  }

  std::vector<OptimizerState> states_of(std::size_t parameter) const {
    std::vector<OptimizerState> states = optimizer_->state();
    std::erase_if(states, [&](const OptimizerState& state) {
      return !state.parameter.is_same(parameters_[parameter].tensor);
    });
    return states;
  }

  std::vector<NamedParameter> parameters_;
  std::unique_ptr<Optimizer> optimizer_;
};

constexpr std::size_t kProjection = 0, kEmbedding = 1, kNorm = 2;
constexpr std::uint64_t kWord = 4;

TEST_F(OptimizerStates, LionKeepsOneTensor) {
  make_and_step(config_for(OptimizerName::kLion));
  EXPECT_EQ(names_of(kProjection), Names{"exp_avg"});
  EXPECT_EQ(bytes_of(kProjection), 96 * 64 * kWord);
  EXPECT_EQ(bytes_of(kNorm), 64 * kWord);
}

TEST_F(OptimizerStates, AdafactorKeepsRowsAndColumns) {
  make_and_step(config_for(OptimizerName::kAdafactor));
  EXPECT_EQ(names_of(kProjection), (Names{"row_var", "col_var"}));
  EXPECT_EQ(bytes_of(kProjection), (96 + 64) * kWord);
  EXPECT_EQ(names_of(kNorm), Names{"variance"});
  EXPECT_EQ(bytes_of(kNorm), 64 * kWord);
}

TEST_F(OptimizerStates, MuonKeepsMomentumOfProjectionsAndMomentsOfOthers) {
  make_and_step(config_for(OptimizerName::kMuon));
  EXPECT_EQ(names_of(kProjection), Names{"momentum_buffer"});
  EXPECT_EQ(bytes_of(kProjection), 96 * 64 * kWord);
  EXPECT_EQ(names_of(kEmbedding), (Names{"exp_avg", "exp_avg_sq"}));
  EXPECT_EQ(bytes_of(kEmbedding), 2 * 80 * 64 * kWord);
  EXPECT_EQ(bytes_of(kNorm), 2 * 64 * kWord);
}

TEST_F(OptimizerStates, Adam8bitKeepsTwoBytesAnElementAndEightABlock) {
  make_and_step(config_for(OptimizerName::kAdam8bit));
  EXPECT_EQ(names_of(kProjection), (Names{"state1", "absmax1", "qmap1", "state2", "absmax2", "qmap2"}));
  constexpr std::uint64_t kMaps = 2 * 256 * kWord;  // shared by all parameters
  EXPECT_EQ(bytes_of(kProjection), 2 * 96 * 64 + 8 * (96 * 64 / 256) + kMaps);
  EXPECT_EQ(bytes_of(kEmbedding), 2 * 80 * 64 + 8 * (80 * 64 / 256) + kMaps);
  EXPECT_EQ(names_of(kNorm), (Names{"state1", "state2"}));
  EXPECT_EQ(bytes_of(kNorm), 2 * 64 * kWord) << "too small for 8 bits";
}

TEST_F(OptimizerStates, Adam8bitStaysWhereItIs) {
  make_and_step(config_for(OptimizerName::kAdam8bit));
  const void* const codes = states_of(kProjection).front().tensor.storage().data();
  optimizer_->step();
  EXPECT_EQ(states_of(kProjection).front().tensor.storage().data(), codes);
}

TEST_F(OptimizerStates, GaloreKeepsTheWholeFactorOrACopyOfItsRank) {
  config::OptimizerConfig config = config_for(OptimizerName::kGaloreAdamW);
  constexpr std::uint64_t kMoments = 2 * kRank * 96 * kWord;
  make_and_step(config);
  EXPECT_EQ(names_of(kProjection), (Names{"exp_avg", "exp_avg_sq", "projector_right"}));
  EXPECT_EQ(states_of(kProjection).back().role, TensorRole::kProjector);
  EXPECT_EQ(states_of(kProjection).front().role, TensorRole::kOptimizerState);
  EXPECT_EQ(bytes_of(kProjection), kMoments + 64 * 64 * kWord);
  EXPECT_EQ(names_of(kEmbedding), (Names{"exp_avg", "exp_avg_sq"}));
  EXPECT_EQ(bytes_of(kEmbedding), 2 * 80 * 64 * kWord);

  config.keep_factor = false;
  make_and_step(config);
  EXPECT_EQ(bytes_of(kProjection), kMoments + kRank * 64 * kWord);
}

TEST_F(OptimizerStates, GaloreKeepsWhatItProjects) {
  config::OptimizerConfig config = config_for(OptimizerName::kGaloreAdamW);
  config.keep_factor = false;
  config.proj_type = config::ProjectionType::kReverseStandard;
  make_and_step(config);
  EXPECT_EQ(bytes_of(kProjection), (2 * kRank * 64 + kRank * 96) * kWord);
  config.proj_type = config::ProjectionType::kFull;
  make_and_step(config);
  EXPECT_EQ(names_of(kProjection), (Names{"exp_avg", "exp_avg_sq", "projector_left", "projector_right"}));
  EXPECT_EQ(bytes_of(kProjection), (2 * kRank * kRank + kRank * (96 + 64)) * kWord);
}

// The factor is cast, so nothing of it stays.
TEST_F(OptimizerStates, GaloreKeepsNoFactorInBfloat16) {
  make_and_step(config_for(OptimizerName::kGaloreAdamW), at::kBFloat16);
  EXPECT_EQ(bytes_of(kProjection), (2 * kRank * 96 + kRank * 64) * 2);
}

TEST_F(OptimizerStates, RsvdProjectsEveryMatrixFromTheLeft) {
  make_and_step(config_for(OptimizerName::kRsvdAdam));
  EXPECT_EQ(names_of(kProjection), (Names{"exp_avg", "exp_avg_sq", "projector"}));
  EXPECT_EQ(bytes_of(kProjection), (kRank * 96 + 2 * kRank * 64) * kWord);
  EXPECT_EQ(bytes_of(kEmbedding), (kRank * 80 + 2 * kRank * 64) * kWord);
  EXPECT_EQ(bytes_of(kNorm), 2 * 64 * kWord);
}

TEST_F(OptimizerStates, AllCanBeMadeBeforeTheFirstStepAndMoveNothing) {
  for (const auto name : {OptimizerName::kAdamW, OptimizerName::kAdam, OptimizerName::kLion,
                          OptimizerName::kAdafactor, OptimizerName::kMuon, OptimizerName::kAdam8bit,
                          OptimizerName::kGaloreAdamW, OptimizerName::kRsvdAdam}) {
    make_and_step(config_for(name));
    const std::array stepped{bytes_of(kProjection), bytes_of(kEmbedding), bytes_of(kNorm)};
    make(config_for(name));
    std::vector<at::Tensor> before;
    for (const NamedParameter& parameter : parameters_) before.push_back(parameter.tensor.detach().clone());
    optimizer_->make_state();
    EXPECT_EQ((std::array{bytes_of(kProjection), bytes_of(kEmbedding), bytes_of(kNorm)}), stepped);
    EXPECT_TRUE(optimizer_->gradients().empty());
    for (std::size_t i = 0; i < before.size(); ++i)
      EXPECT_TRUE(at::equal(parameters_[i].tensor, before[i])) << parameters_[i].name;
  }
}

TEST_F(OptimizerStates, ARateOfZeroMovesNothingAndARateOfItsOwnDoes) {
  for (const auto impl :
       {config::OptimizerImpl::kLoop, config::OptimizerImpl::kForeach, config::OptimizerImpl::kFused}) {
    config::OptimizerConfig config = config_for(OptimizerName::kAdamW);
    config.impl = impl;
    make_and_step(config);
    const at::Tensor before = parameters_[kNorm].tensor.detach().clone();
    optimizer_->set_learning_rate(0.0);
    optimizer_->step();
    EXPECT_TRUE(at::equal(parameters_[kNorm].tensor, before));
    optimizer_->set_learning_rate(0.1);
    optimizer_->step();
    EXPECT_FALSE(at::equal(parameters_[kNorm].tensor, before));
  }
}

TEST_F(OptimizerStates, ADecompositionRefusesWhatIsNotFinite) {
  for (const auto name : {OptimizerName::kGaloreAdamW, OptimizerName::kRsvdAdam}) {
    for (const double value : {std::numeric_limits<double>::quiet_NaN(), -HUGE_VAL}) {
      make(config_for(name));
      at::Tensor gradient = at::ones({96, 64});
      gradient[3][5] = value;
      parameters_[kProjection].tensor.mutable_grad() = gradient;
      try {
        optimizer_->step();
        ADD_FAILURE() << "stepped";
      } catch (const std::runtime_error& error) {
        EXPECT_NE(std::string(error.what()).find("gradient of 96 x 64 that holds infinities or NaN"),
                  std::string::npos)
            << error.what();
      }
    }
  }
}

TEST(BlockProjections, AreMatricesOfAttentionAndFeedForward) {
  const auto is_projection = [](const char* name, const std::vector<std::int64_t>& sizes) {
    return is_block_projection({name, at::empty(sizes)});
  };
  EXPECT_TRUE(is_projection("layers.0.self_attn.q_proj.weight", {4, 4}));
  EXPECT_TRUE(is_projection("h.0.mlp.c_fc.weight", {4, 4}));
  EXPECT_TRUE(is_projection("layers.0.ffn.w1.weight", {4, 4}));
  EXPECT_TRUE(is_projection("transformer.layer.0.attention.q_lin.weight", {4, 4}));
  EXPECT_FALSE(is_projection("layers.0.post_attention_layernorm.weight", {4}));
  EXPECT_FALSE(is_projection("h.0.attn.c_attn.bias", {4}));
  EXPECT_FALSE(is_projection("embed_tokens.weight", {4, 4}));
  EXPECT_FALSE(is_projection("lm_head.weight", {4, 4}));
}

// DistilBERT with two labels; a user's study lists its optimizer states: r4 2.92 MiB, and so on.
std::uint64_t distilbert_state_bytes(std::uint64_t rank) {
  std::vector<std::array<std::int64_t, 2>> matrices{{30522, 768}, {512, 768}, {768, 768}, {2, 768}};
  std::vector<std::int64_t> vectors{768, 768, 768, 2};  // norm, and the biases of the classifier's two
  for (int layer = 0; layer < 6; ++layer) {
    for (int i = 0; i < 4; ++i) matrices.push_back({768, 768});
    matrices.push_back({3072, 768});
    matrices.push_back({768, 3072});
    vectors.insert(vectors.end(), {768, 768, 768, 768, 768, 768, 3072, 768, 768, 768});
  }
  std::uint64_t elements = 0;
  std::int64_t parameters = 0;
  for (const auto& [rows, columns] : matrices) {
    const std::int64_t kept = rsvd_rank(static_cast<double>(rank) / 768, rows, columns);
    elements += static_cast<std::uint64_t>(kept * (rows + 2 * columns));
    parameters += rows * columns;
  }
  for (const std::int64_t size : vectors) {
    elements += static_cast<std::uint64_t>(2 * size);
    parameters += size;
  }
  EXPECT_EQ(parameters, 66'955'010);
  return elements * kWord;
}

TEST(RsvdState, OfDistilBertIsAsReported) {
  constexpr double kMebibyte = 1 << 20;
  EXPECT_EQ(distilbert_state_bytes(4), 3'060'664u);
  EXPECT_NEAR(static_cast<double>(distilbert_state_bytes(8)) / kMebibyte, 5.37, 0.005);
  EXPECT_NEAR(static_cast<double>(distilbert_state_bytes(16)) / kMebibyte, 10.25, 0.005);
  EXPECT_NEAR(static_cast<double>(distilbert_state_bytes(64)) / kMebibyte, 39.57, 0.005);
  EXPECT_NEAR(static_cast<double>(distilbert_state_bytes(128)) / kMebibyte, 78.67, 0.005);
}

TEST(RsvdBasis, IsThatOfTheSingularVectorsWhereTheRankIsLow) {
  at::Generator generator = at::globalContext().defaultGenerator(at::kCPU).clone();
  for (const auto& [rows, columns] : {std::pair{30, 12}, std::pair{12, 30}}) {
    const at::Tensor matrix = at::matmul(at::randn({rows, 3}), at::randn({3, columns}));
    const at::Tensor basis = approximate_left_basis(matrix, 3, generator);
    EXPECT_EQ(basis.sizes(), (std::vector<std::int64_t>{rows, 3}));
    EXPECT_EQ(basis.storage().nbytes(), static_cast<std::size_t>(rows) * 3 * kWord);
    EXPECT_TRUE(at::allclose(at::matmul(basis.t(), basis), at::eye(3), 1e-4, 1e-5));
    EXPECT_TRUE(at::allclose(at::matmul(basis, at::matmul(basis.t(), matrix)), matrix, 1e-4, 1e-4));
  }
}

}  // namespace
}  // namespace strata::trainer

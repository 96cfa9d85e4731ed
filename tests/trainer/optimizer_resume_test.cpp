// SPDX-License-Identifier: Apache-2.0
// Every optimizer's state, saved in the middle of a training, continues to bit-identical parameters.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "host/config/optimizer_defaults.hpp"
#include "host/config/schema/schema.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/precision/grad_scaler.hpp"
#include "host/trainer/saving/archive.hpp"
#include "host/trainer/saving/state_dict.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::trainer {
namespace {

constexpr int kStepsBefore = 4, kStepsAfter = 5;
constexpr std::int64_t kProjectorSteps = 3;

struct Variant {
  std::string name;
  config::OptimizerConfig config;
  at::ScalarType format = at::kFloat;
};

// From the schema's names, so that a new optimizer is included.
std::vector<Variant> all_variants() {
  const auto& names = std::get<config::ChoiceType>(config::find_key("optimizer.name")->type).names;
  std::vector<Variant> variants;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto name = static_cast<config::OptimizerName>(i);
    const config::OptimizerDefaults defaults = config::defaults_of(name);
    config::OptimizerConfig config;
    config.name = name;
    config.lr = 0.01;
    config.weight_decay = 0.1;
    config.momentum = name == config::OptimizerName::kSgd ? 0.9 : defaults.momentum;
    config.beta1 = 0.9;
    config.beta2 = defaults.beta2;
    config.epsilon = defaults.epsilon;
    config.rank = 8;
    config.rank_fraction = 0.125;
    config.update_proj_gap = kProjectorSteps;
    config.scale = 0.25;
    const std::string text(names[i]);
    const bool has_forms = config::has_multi_tensor_form(name);
    for (int impl = 0; impl < (has_forms ? 3 : 1); ++impl) {
      config.impl = static_cast<config::OptimizerImpl>(impl);
      variants.push_back({text + "_" + std::to_string(impl), config});
    }
    config.impl = config::OptimizerImpl::kLoop;
    if (name == config::OptimizerName::kGaloreAdamW) {
      config.proj_type = config::ProjectionType::kFull;
      variants.push_back({text + "_full", config});
      config.keep_factor = false;
      variants.push_back({text + "_copied", config});
    } else if (name == config::OptimizerName::kSgd) {
      config.momentum = 0.0;
      variants.push_back({text + "_still", config});
    }
    variants.push_back({text + "_bf16", config, at::kBFloat16});
  }
  return variants;
}

// A quantized projection, an embedding, a norm, and one without a gradient before the sixth step.
std::vector<NamedParameter> make_parameters(at::ScalarType format) {
  at::manual_seed(1);
  std::vector<NamedParameter> parameters = {{"layers.0.mlp.up_proj.weight", at::randn({96, 64}, format)},
                                            {"embed_tokens.weight", at::randn({80, 64}, format)},
                                            {"norm.weight", at::randn({64}, format)},
                                            {"layers.1.mlp.down_proj.weight", at::randn({24, 96}, format)}};
  for (const NamedParameter& parameter : parameters) parameter.tensor.set_requires_grad(true);
  return parameters;
}

// Gradients depend on the step's number only.
void take_steps(Optimizer& optimizer, const std::vector<NamedParameter>& parameters, int first, int last) {
  for (int step = first; step < last; ++step) {
    at::manual_seed(100 + static_cast<std::uint64_t>(step));
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const at::Tensor gradient = at::randn_like(parameters[i].tensor.detach());
      if (i < 3 || step >= kStepsBefore + 1) parameters[i].tensor.mutable_grad() = gradient;
    }
    optimizer.step();
  }
}

class Resumed : public testing::TestWithParam<Variant> {};

TEST_P(Resumed, OptimizerGoesOnToTheBit) {
  const auto& [name, config, format] = GetParam();
  const test::TemporaryFolder folder;

  const std::vector<NamedParameter> whole = make_parameters(format);
  const auto optimizer = make_optimizer(config, whole);
  take_steps(*optimizer, whole, 0, kStepsBefore);
  StateWriter writer;
  optimizer->visit(writer);
  write_archive(folder.path() / "state.pt", writer.dict());

  const std::vector<NamedParameter> rest = make_parameters(format);
  for (std::size_t i = 0; i < rest.size(); ++i) rest[i].tensor.detach().copy_(whole[i].tensor);
  const auto resumed = make_optimizer(config, rest);
  StateReader reader(read_archive(folder.path() / "state.pt"), at::kCPU);
  resumed->visit(reader);

  const std::vector<OptimizerState> expected = optimizer->state(), actual = resumed->state();
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(actual[i].name, expected[i].name);
    EXPECT_EQ(actual[i].role, expected[i].role);
    EXPECT_EQ(actual[i].tensor.strides(), expected[i].tensor.strides());
    EXPECT_EQ(actual[i].tensor.storage().nbytes(), expected[i].tensor.storage().nbytes()) << expected[i].name;
    EXPECT_TRUE(at::equal(actual[i].tensor, expected[i].tensor)) << expected[i].name;
  }
  take_steps(*optimizer, whole, kStepsBefore, kStepsBefore + kStepsAfter);
  take_steps(*resumed, rest, kStepsBefore, kStepsBefore + kStepsAfter);
  for (std::size_t i = 0; i < whole.size(); ++i)
    EXPECT_TRUE(at::equal(whole[i].tensor, rest[i].tensor)) << whole[i].name;
}

INSTANTIATE_TEST_SUITE_P(AllOptimizers, Resumed, testing::ValuesIn(all_variants()),
                         [](const auto& info) { return info.param.name; });

class Scaler : public testing::Test {
 protected:
  static bool step(GradScaler& scaler, double gradient) {
    scaler.scale(at::ones({}));
    const bool usable = scaler.unscale({at::full({2}, gradient)});
    scaler.update();
    return usable;
  }
  const config::GradScalerConfig config_{
      .init_scale = 8.0, .growth_factor = 2.0, .backoff_factor = 0.5, .growth_interval = 3};
};

TEST_F(Scaler, GrowsWhenItWouldHave) {
  GradScaler scaler(config_, at::kCPU);
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(step(scaler, 1.0));
  StateWriter writer;
  scaler.visit(writer);
  GradScaler resumed(config_, at::kCPU);
  StateReader reader(writer.dict(), at::kCPU);
  resumed.visit(reader);
  EXPECT_EQ(resumed.scale_tensor().item<float>(), 8.0F);
  EXPECT_TRUE(step(resumed, 1.0));
  EXPECT_EQ(resumed.scale_tensor().item<float>(), 16.0F);
}

TEST(StateWriter, RefusesANameThatItHas) {
  StateWriter writer;
  at::Tensor tensor = at::ones({1});
  writer.tensor("a", tensor, StateShape::kOther, TensorRole::kOptimizerState);
  EXPECT_THROW(writer.tensor("a", tensor, StateShape::kOther, TensorRole::kOptimizerState), std::logic_error);
}

}  // namespace
}  // namespace strata::trainer

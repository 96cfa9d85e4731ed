// SPDX-License-Identifier: Apache-2.0
// Models with adapters: their parameters, the trained ones, and weights in 4 bits. tests/peers/adapters
// compares them with peft and bitsandbytes.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/config/adapter.hpp"
#include "host/config/loading/load.hpp"
#include "host/trainer/models/layers/nf4_linear.hpp"
#include "host/trainer/models/model.hpp"
#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {
namespace {

constexpr const char* kTiny =
    "size: custom, layers: 2, d_model: 16, d_ff: 24, heads: 4, vocab: 31, context: 8, init: hash}\n";

config::RunConfig adapted_config(const std::string& architecture, const std::string& adapter) {
  return config::parse_config(
      "model: {name: " + architecture + ", " + kTiny + "adapter: {name: lora, rank: 3, " + adapter + "}\n",
      "t.yaml");
}

std::shared_ptr<Model> adapted_model(const config::RunConfig& config, at::Device device = at::kCPU) {
  return make_model({.config = config.model, .adapter = config.adapter}, {{}, at::TensorOptions(device)});
}

class EveryAdapter : public testing::TestWithParam<std::tuple<const char*, const char*>> {};

TEST_P(EveryAdapter, HasAsManyParametersAsTheFormulaSays) {
  const auto& [architecture, adapter] = GetParam();
  const config::RunConfig config = adapted_config(architecture, adapter);
  for (const at::Device device : {at::Device(at::kMeta), at::Device(at::kCPU)}) {
    const auto model = adapted_model(config, device);
    EXPECT_EQ(model->parameter_count(), config::parameter_count(config));
    EXPECT_EQ(model->trained_parameter_count(),
              config::adapter_parameter_count(config.model, config.adapter));
  }
}

TEST_P(EveryAdapter, AloneIsTrained) {
  const auto& [architecture, adapter] = GetParam();
  const auto model = adapted_model(adapted_config(architecture, adapter));
  const at::Tensor logits = model->forward(at::arange(16, at::kLong).view({2, 8}));
  logits.sum().backward();
  for (const auto& parameter : model->named_parameters()) {
    const bool is_adapters = parameter.key().find(".lora_") != std::string::npos;
    EXPECT_EQ(parameter.value().requires_grad(), is_adapters) << parameter.key();
    EXPECT_EQ(parameter.value().grad().defined(), is_adapters) << parameter.key();
  }
  for (const NamedParameter& parameter : named_parameters(*model))
    EXPECT_NE(parameter.name.find(".lora_"), std::string::npos) << parameter.name;
}

INSTANTIATE_TEST_SUITE_P(
    Models, EveryAdapter,
    testing::Combine(testing::Values("llama", "qwen", "gpt2"),
                     testing::Values("dropout: 0.0", "targets: all-linear", "base: nf4",
                                     "base: nf4, double_quantization: true, targets: all-linear")));

TEST(LoraLinear, NamesParametersAsPeftDoes) {
  std::vector<std::string> names;
  for (const auto& parameter : adapted_model(adapted_config("gpt2", "targets: c_fc"))->named_parameters())
    if (parameter.key().starts_with("h.0.mlp.c_fc")) names.push_back(parameter.key());
  EXPECT_EQ(names, (std::vector<std::string>{"h.0.mlp.c_fc.base_layer.weight", "h.0.mlp.c_fc.base_layer.bias",
                                             "h.0.mlp.c_fc.lora_A.default.weight",
                                             "h.0.mlp.c_fc.lora_B.default.weight"}));
}

// The second matrix is initially zero.
TEST(LoraLinear, AddsNothingAtFirst) {
  config::RunConfig config = adapted_config("llama", "targets: all-linear");
  config.model.init = config::WeightInit::kRandom;
  const at::Tensor tokens = at::arange(8, at::kLong).view({1, 8});
  torch::manual_seed(3);
  const auto adapted = adapted_model(config);
  config.adapter = {};
  const auto plain = adapted_model(config);
  const auto weights = adapted->named_parameters();
  const at::NoGradGuard no_gradients;
  for (auto& parameter : plain->named_parameters()) {
    std::string name = parameter.key();
    if (weights.find(name) == nullptr) name.insert(name.rfind('.'), ".base_layer");
    parameter.value().copy_(weights[name]);
  }
  EXPECT_TRUE(at::equal(adapted->forward(tokens), plain->forward(tokens)));
}

class Nf4 : public testing::TestWithParam<std::tuple<std::int64_t, bool>> {};

TEST_P(Nf4, ComesBackWithinHalfTheWidestStep) {
  const auto [columns, double_quantization] = GetParam();
  const Nf4Format format{.double_quantization = double_quantization};
  torch::manual_seed(1);
  const at::Tensor weight = at::randn({129, columns});
  const Nf4Weight quantized = quantize_nf4(weight, format);
  EXPECT_EQ(quantized.packed.numel(), (weight.numel() + 1) / 2);
  const at::Tensor back = dequantize_nf4(quantized, scales_of(quantized, ScaleCopies::kTwo, format), format);
  ASSERT_EQ(back.sizes(), weight.sizes());
  // The largest gap between codes is from -1 to -0.696.
  const double largest = weight.abs().max().item<double>();
  EXPECT_LT((back - weight).abs().max().item<double>(), largest * 0.153 * (double_quantization ? 1.02 : 1.0));
}

INSTANTIATE_TEST_SUITE_P(Sizes, Nf4, testing::Combine(testing::Values(64, 3, 4096), testing::Bool()));

TEST(Nf4, OfADryDeviceIsMadeOfTheSameTensors) {
  const at::Tensor weight = at::randn({70, 10});
  const Nf4Weight real = quantize_nf4(weight, {.double_quantization = true});
  const Nf4Weight dry = quantize_nf4(weight, {.double_quantization = true, .computes = false});
  const auto alike = [](const at::Tensor& one, const at::Tensor& other) {
    EXPECT_EQ(one.sizes(), other.sizes());
    EXPECT_EQ(one.scalar_type(), other.scalar_type());
  };
  alike(real.packed, dry.packed);
  alike(real.scales, dry.scales);
  alike(real.nested_scales, dry.nested_scales);
  alike(real.nested_offset, dry.nested_offset);
  alike(real.nested_code, dry.nested_code);
}

TEST(Nf4Linear, GoesBackwardThroughTheWeightThatItComputedWith) {
  torch::manual_seed(2);
  const Nf4Linear layer({.in_features = 96, .out_features = 40, .bias = true}, 0.5, {}, {});
  const at::Tensor x = at::randn({2, 5, 96}).requires_grad_();
  const at::Tensor y = layer.forward(x);
  const at::Tensor gradient = at::randn_like(y);
  y.backward(gradient);
  const at::Tensor whole = layer.forward(at::eye(96)).t();  // its bias is zero
  EXPECT_TRUE(at::allclose(x.grad(), at::matmul(gradient, whole), 1e-4, 1e-5));
}

}  // namespace
}  // namespace strata::trainer

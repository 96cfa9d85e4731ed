// Against a LLaMA of Hugging Face's form that PyTorch trained in Python. Its rotary embedding turns feature i
// of a head together with i + 4, ours 2 i with 2 i + 1. Scores do not change when queries and keys are
// permuted alike, so the same permutation of the rows of both projections makes the two models equal; so are
// their updates, which are made element by element.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/trainer/models/transformer.hpp"
#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {
namespace {

constexpr std::int64_t kVocab = 64;
constexpr std::int64_t kContext = 16;
constexpr std::int64_t kBatch = 4;
constexpr std::int64_t kSteps = 5;
constexpr std::int64_t kHeadFeatures = 8;

// The numbers that both programs fill weights and tokens with: element `element` of series `series`.
std::uint32_t hash(std::uint32_t element, std::uint32_t series) {
  std::uint32_t x = element * 2654435761u + ((series + 1) * 40503u + 12345u);
  x = (x ^ (x >> 16)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return x ^ (x >> 16);
}

at::Tensor filled(at::IntArrayRef sizes, std::uint32_t series, double offset, double scale) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  auto* values = tensor.mutable_data_ptr<float>();
  for (std::uint32_t i = 0; i < tensor.numel(); ++i) {
    values[i] = static_cast<float>(offset + scale * (hash(i, series) / 4294967296.0 * 2.0 - 1.0));
  }
  return tensor;
}

// Row i of each head becomes row 2 i, row i + 4 becomes row 2 i + 1.
at::Tensor interleaved(const at::Tensor& projection) {
  return projection.view({-1, 2, kHeadFeatures / 2, projection.size(1)})
      .transpose(1, 2)
      .reshape(projection.sizes());
}

Transformer tinyllama() {
  config::ModelConfig config;
  config.layers = 2;
  config.d_model = 32;
  config.d_ff = 88;
  config.heads = 4;
  config.vocab = kVocab;
  config.context = kContext;
  config.rope_theta = 10'000.0;
  config.norm_epsilon = 1e-6;
  Transformer model(config);

  std::vector<std::string> order = {"token_embeddings.weight"};
  for (const std::string layer : {"layers.0.", "layers.1."}) {
    for (const char* name : {"ln1", "attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.output_proj", "ln2",
                             "ffn.w1", "ffn.w3", "ffn.w2"}) {
      order.push_back(layer + name + ".weight");
    }
  }
  order.insert(order.end(), {"ln_final.weight", "lm_head.weight"});

  const at::NoGradGuard no_gradients;
  auto parameters = model.named_parameters();
  for (std::uint32_t index = 0; index < order.size(); ++index) {
    at::Tensor& parameter = parameters[order[index]];
    const bool is_norm = parameter.dim() == 1;
    const double scale = is_norm      ? 0.1
                         : index == 0 ? 0.5
                                      : 1.5 / std::sqrt(static_cast<double>(parameter.size(1)));
    at::Tensor values = filled(parameter.sizes(), index, is_norm ? 1.0 : 0.0, scale);
    if (order[index].ends_with("q_proj.weight") || order[index].ends_with("k_proj.weight")) {
      values = interleaved(values);
    }
    parameter.copy_(values);
  }
  return model;
}

at::Tensor tokens_of_step(std::int64_t step) {
  at::Tensor tokens = at::empty({kBatch, kContext + 1}, at::kLong);
  auto* values = tokens.mutable_data_ptr<std::int64_t>();
  for (std::uint32_t i = 0; i < tokens.numel(); ++i) {
    values[i] = hash(i, static_cast<std::uint32_t>(1000 + step)) % kVocab;
  }
  return tokens;
}

config::OptimizerConfig optimizer_config(const std::string& name) {
  config::OptimizerConfig config;
  const bool is_adamw = name == "adamw";
  config.name = is_adamw ? config::OptimizerName::kAdamW : config::OptimizerName::kSgd;
  config.lr = is_adamw ? 1e-2 : 0.1;
  config.weight_decay = is_adamw ? 0.1 : 0.0;
  config.momentum = name == "sgd_momentum" ? 0.9 : 0.0;
  config.beta1 = 0.9;
  config.beta2 = 0.999;
  config.epsilon = 1e-8;
  return config;
}

double step_of(const Transformer& model, Optimizer& optimizer, const at::Tensor& tokens,
               std::int64_t accumulation) {
  optimizer.zero_grad(/*set_to_none=*/true);
  double total = 0.0;
  for (const at::Tensor& part : tokens.chunk(accumulation)) {
    const at::Tensor logits = model.forward(part.narrow(1, 0, kContext));
    const at::Tensor target = part.narrow(1, 1, kContext).flatten();
    const at::Tensor loss = at::cross_entropy_loss(logits.flatten(0, 1), target) / accumulation;
    loss.backward();
    total += loss.item<double>();
  }
  optimizer.step();
  return total;
}

TEST(TinyLlama, TrainsAsInPython) {
  std::ifstream file(STRATA_TEST_DATA "/tinyllama.json");
  const auto runs = nlohmann::json::parse(file).at("runs");
  ASSERT_EQ(runs.size(), 6u);
  for (const auto& run : runs) {
    const std::string name = run.at("optimizer");
    const std::int64_t accumulation = run.at("accumulation");
    SCOPED_TRACE(name + ", accumulation " + std::to_string(accumulation));
    const Transformer model = tinyllama();
    const auto optimizer = make_optimizer(optimizer_config(name), model.parameters());
    for (std::int64_t step = 0; step < kSteps; ++step) {
      const double loss = step_of(model, *optimizer, tokens_of_step(step), accumulation);
      EXPECT_NEAR(loss, run.at("losses").at(static_cast<std::size_t>(step)).get<double>(), 5e-6)
          << "step " << step;
    }
    double sum_of_squares = 0.0;
    for (const at::Tensor& parameter : model.parameters()) {
      sum_of_squares += parameter.detach().to(at::kDouble).square().sum().item<double>();
    }
    const double expected = run.at("final_params").at("sumsq");
    EXPECT_NEAR(sum_of_squares / expected, 1.0, 1e-6);
  }
}

}  // namespace
}  // namespace strata::trainer

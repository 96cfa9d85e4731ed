// SPDX-License-Identifier: Apache-2.0
// Compared with PyTorch in Python: the losses of tests/data/numerics.json, which describes how weights,
// tokens and models are made. Every run goes from its YAML through the trainer's entry point, as in `strata
// run`.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/config/loading/load.hpp"
#include "host/trainer/entry.hpp"
#include "tests/trainer/run_function.hpp"

namespace strata::trainer {
namespace {

using Json = nlohmann::json;
using Losses = std::vector<double>;

Json recorded_runs() {
  std::ifstream file(STRATA_TEST_DATA "/numerics.json");
  return Json::parse(file).at("runs");
}

// The settings of the recorded optimizers, described in `definition.optimizers`.
std::string optimizer_yaml(const std::string& name) {
  if (name == "sgd") return "{name: sgd, lr: 0.1, weight_decay: 0}";
  if (name == "sgd_momentum") return "{name: sgd, lr: 0.1, weight_decay: 0, momentum: 0.9}";
  if (name == "adam") return "{name: adam, lr: 1.0e-2, weight_decay: 0}";
  if (name == "adamw") return "{name: adamw, lr: 1.0e-2, weight_decay: 0.1}";
  if (name == "galore_adamw") return "{name: galore_adamw, lr: 1.0e-2, weight_decay: 0, rank: 8}";
  if (name == "galore_adamw_gap2")
    return "{name: galore_adamw, lr: 1.0e-2, weight_decay: 0, rank: 8, update_proj_gap: 2}";
  return {};
}

std::string run_yaml(const Json& run) {
  const bool is_llama = run.at("model") == "tinyllama";
  const int accumulation = run.at("accumulation");
  const std::string dtype = run.at("dtype") == "float64" ? "fp64" : "fp32";
  return fmt::format(
      "model: {{name: {}, size: custom, layers: 2, d_model: 32, d_ff: {}, heads: 4, vocab: 64, context: 16, "
      "init: hash{}}}\n"
      "data: {{source: hash, batch_size: {}}}\n"
      "accumulation: {}\n"
      "optimizer: {}\n"
      "precision: {}\n"
      "checkpointing: {}\n"
      "schedule: {{wait: 0, warmup: 0, active: 5}}\n"
      "backend: {{threads: 1}}\n",
      is_llama ? "llama" : "gpt2", is_llama ? 88 : 128,
      is_llama ? "" : ", positions: 16, activation: gelu_pytorch_tanh", 4 / accumulation, accumulation,
      optimizer_yaml(run.at("optimizer")), run.at("amp_bf16") ? "bf16_autocast" : dtype,
      run.at("checkpointing") ? "block" : "none");
}

Losses losses_of(const std::string& yaml, const std::vector<std::string>& overrides = {}) {
  const config::RunConfig config = config::parse_config(yaml, "numerics.yaml", overrides);
  Session session(SessionOptions{});
  const std::atomic<int> interrupt = 0;
  Losses losses;
  const Result result =
      run_function()({config, session,
                      [&](const Progress& progress) { losses.push_back(progress.loss.value()); }, interrupt});
  EXPECT_EQ(result.outcome, Outcome::kDone) << result.message;
  return losses;
}

double largest_difference(const Losses& losses, const Losses& expected) {
  if (losses.size() != expected.size()) return INFINITY;
  double largest = 0.0;
  for (std::size_t i = 0; i < losses.size(); ++i)
    largest = std::max(largest, std::abs(losses[i] - expected[i]));
  return largest;
}

// The tolerances of the data's README. GaLore computes its singular vectors in float32 even in a double
// model, and their last bits differ between kinds of processor.
double band(const Json& run) {
  if (run.at("amp_bf16")) return 5e-3;
  if (run.at("optimizer").get<std::string>().starts_with("galore")) return 5e-6;
  return run.at("dtype") == "float64" ? 1e-12 : 5e-6;
}

TEST(Numerics, LossesAreThoseOfPython) {
  std::size_t compared = 0;
  for (const Json& run : recorded_runs()) {
    if (optimizer_yaml(run.at("optimizer")).empty()) continue;
    const std::string yaml = run_yaml(run);
    // With a gap of 2 the losses depend on the signs of singular vectors, which LAPACK chooses: here the same
    // as in Python.
    EXPECT_LE(largest_difference(losses_of(yaml), run.at("losses").get<Losses>()), band(run)) << yaml;
    ++compared;
  }
  EXPECT_EQ(compared, 144u);
}

TEST(Numerics, TheFormsOfOneOptimizerAgree) {
  for (const Json& run : recorded_runs()) {
    const std::string optimizer = optimizer_yaml(run.at("optimizer"));
    if (optimizer.find("galore") != std::string::npos || run.at("checkpointing") || run.at("amp_bf16"))
      continue;
    for (const char* impl : {"foreach", "fused"}) {
      const Losses losses = losses_of(run_yaml(run), {fmt::format("optimizer.impl={}", impl)});
      EXPECT_LE(largest_difference(losses, run.at("losses").get<Losses>()), band(run)) << impl << '\n'
                                                                                       << run_yaml(run);
    }
  }
}

std::string three_blocks(const char* model, const char* precision) {
  return fmt::format(
      "model: {{name: {}, size: custom, layers: 3, d_model: 32, d_ff: 64, heads: 4, vocab: 64, context: "
      "16}}\n"
      "optimizer: {{name: adamw, lr: 1.0e-2}}\n"
      "precision: {}\n"
      "schedule: {{wait: 0, warmup: 0, active: 5}}\n"
      "backend: {{threads: 1}}\n",
      model, precision);
}

// Bit for bit.
TEST(Numerics, CheckpointingChangesNothing) {
  for (const char* model : {"llama", "gpt2", "transformer"}) {
    for (const char* precision : {"fp32", "bf16_autocast"}) {
      const std::string yaml = three_blocks(model, precision);
      const Losses expected = losses_of(yaml);
      for (const char* part : {"block", "{every: 2}", "{select: attention}", "{select: mlp}"})
        EXPECT_EQ(losses_of(yaml, {fmt::format("checkpointing={}", part)}), expected) << part << '\n' << yaml;
    }
  }
}

// Under autocast the losses may differ: the input of the second forward is a leaf, and all readers share its
// cast copy, so their gradients are summed in 16 bits.
TEST(Numerics, ReentrantCheckpointingChangesNothingInFp32) {
  for (const char* model : {"llama", "gpt2", "transformer"}) {
    const std::string yaml = three_blocks(model, "fp32");
    const Losses expected = losses_of(yaml);
    for (const char* part : {"every: 1", "every: 2", "select: attention", "select: mlp"}) {
      EXPECT_EQ(losses_of(yaml, {fmt::format("checkpointing={{{}, reentrant: true}}", part)}), expected)
          << part << '\n'
          << yaml;
    }
  }
}

// Bit for bit, whatever is recomputed in backward.
TEST(Numerics, SteppingInBackwardChangesNothing) {
  for (const char* model : {"llama", "gpt2", "transformer"}) {
    for (const char* optimizer : {"adamw", "{name: galore_adamw, rank: 4, update_proj_gap: 2}", "muon"}) {
      const std::string chosen = optimizer[0] == '{' ? fmt::format("optimizer={}", optimizer)
                                                     : fmt::format("optimizer={{name: {}}}", optimizer);
      const std::string yaml = three_blocks(model, "fp32");
      const Losses expected = losses_of(yaml, {chosen});
      for (const char* part : {"none", "block", "{every: 1, reentrant: true}", "{select: attention}"}) {
        EXPECT_EQ(
            losses_of(yaml, {chosen, "optimizer.per_layer=true", fmt::format("checkpointing={}", part)}),
            expected)
            << part << ' ' << chosen << '\n'
            << yaml;
      }
    }
  }
}

// Elements dropped at random must be dropped again in the second forward.
TEST(Numerics, CheckpointingDropsTheSameElementsAgain) {
  const std::string yaml =
      "model: {name: gpt2, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 4, vocab: 64, context: 16, "
      "dropout: 0.3}\n"
      "optimizer: {name: sgd, lr: 0.1}\n"
      "schedule: {wait: 0, warmup: 0, active: 5}\n"
      "backend: {threads: 1}\n";
  const Losses expected = losses_of(yaml);
  EXPECT_NE(losses_of(yaml, {"model.dropout=0"}), expected);
  EXPECT_NE(losses_of(yaml, {"seed=1"}), expected);
  for (const char* checkpointing : {"block", "{every: 1, reentrant: true}", "{select: attention}"})
    EXPECT_EQ(losses_of(yaml, {fmt::format("checkpointing={}", checkpointing)}), expected) << checkpointing;
}

TEST(Numerics, AttentionKernelsAgree) {
  for (const char* model : {"llama", "gpt2", "transformer", "qwen"}) {
    const std::string kind(model);
    const std::string yaml = fmt::format(
        "model: {{name: {}, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 4, vocab: 64, context: "
        "16{}}}\n"
        "optimizer: {{name: sgd, lr: 0.1}}\n"
        "schedule: {{wait: 0, warmup: 0, active: 3}}\n",
        model, kind == "qwen" ? ", kv_heads: 2" : "");
    const Losses expected = losses_of(yaml);
    for (const char* attention : {"sdpa", "sdpa_flash", "sdpa_math"}) {
      const Losses losses = losses_of(yaml, {fmt::format("attention={}", attention)});
      EXPECT_LE(largest_difference(losses, expected), 5e-6) << attention << '\n' << yaml;
    }
  }
}

TEST(Numerics, AScaledLossChangesNothingButItsRounding) {
  const std::string yaml =
      "model: {name: llama, size: custom, layers: 2, d_model: 32, d_ff: 64, heads: 4, vocab: 64, context: "
      "16}\n"
      "optimizer: {name: sgd, lr: 0.1}\n"
      "schedule: {wait: 0, warmup: 0, active: 5}\n";
  const Losses expected = losses_of(yaml);
  EXPECT_LE(largest_difference(losses_of(yaml, {"precision=fp16_autocast"}), expected), 2e-3);
}

}  // namespace
}  // namespace strata::trainer

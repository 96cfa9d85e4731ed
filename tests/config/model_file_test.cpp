// SPDX-License-Identifier: Apache-2.0
// model.config: a model's shape in the form of Hugging Face's config.json.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "host/config/loading/load.hpp"
#include "tests/config/problems_of.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

using config::RunConfig;

// From GaLore's repository (configs/llama_100m.json).
constexpr const char* kLlama100m = R"({
    "architectures": ["LLaMAForCausalLM"],
    "bos_token_id": 0,
    "eos_token_id": 1,
    "hidden_act": "silu",
    "hidden_size": 640,
    "intermediate_size": 1708,
    "initializer_range": 0.02,
    "max_sequence_length": 1024,
    "model_type": "llama",
    "num_attention_heads": 10,
    "num_hidden_layers": 12,
    "pad_token_id": -1,
    "rms_norm_eps": 1e-06,
    "transformers_version": "4.28.1",
    "use_cache": true,
    "vocab_size": 32100
})";

class ModelFile : public testing::Test {
 protected:
  RunConfig load(const std::string& json, const std::string& more = "") const {
    folder_.write("model.json", json);
    return config::parse_config("model: {config: model.json" + more + "}\n", folder_.path() / "t.yaml");
  }

  std::vector<std::string> problems(const std::string& json, const std::string& more = "") const {
    try {
      load(json, more);
    } catch (const config::ConfigError& error) {
      std::vector<std::string> lines;
      for (const config::Problem& problem : error.problems()) {
        std::string line = problem.text();
        const std::string folder = folder_.path().string() + "/";
        for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder))
          line.erase(at, folder.size());
        lines.push_back(line);
      }
      return lines;
    }
    return {};
  }

  const TemporaryFolder folder_;
};

TEST_F(ModelFile, SaysTheShape) {
  const config::ModelConfig named =
      config::parse_config("model: {name: llama, size: 100m}\n", "t.yaml").model;
  const config::ModelConfig model = load(kLlama100m).model;
  EXPECT_EQ(model.name, config::Architecture::kLlama);
  EXPECT_EQ(model.layers, named.layers);
  EXPECT_EQ(model.d_model, named.d_model);
  EXPECT_EQ(model.d_ff, named.d_ff);
  EXPECT_EQ(model.heads, named.heads);
  EXPECT_EQ(model.kv_heads, named.kv_heads);
  EXPECT_EQ(model.vocab, named.vocab);
  EXPECT_EQ(model.norm_epsilon, named.norm_epsilon);
  EXPECT_FALSE(model.tied);
}

TEST_F(ModelFile, YieldsToWhatIsWritten) {
  const config::ModelConfig model = load(kLlama100m, ", name: llama, layers: 2, vocab: 256").model;
  EXPECT_EQ(model.layers, 2);
  EXPECT_EQ(model.vocab, 256);
  EXPECT_EQ(model.d_model, 640);
}

TEST_F(ModelFile, OfTheOtherArchitectures) {
  const config::ModelConfig gpt2 =
      load(
          R"({"model_type": "gpt2", "n_layer": 2, "n_embd": 32, "n_head": 4, "n_inner": null, "n_positions": 64,
               "vocab_size": 100, "activation_function": "gelu", "resid_pdrop": 0.1})",
          ", context: 64")
          .model;
  EXPECT_EQ(gpt2.name, config::Architecture::kGpt2);
  EXPECT_EQ(gpt2.d_ff, 128);
  EXPECT_EQ(gpt2.positions, 64);
  EXPECT_EQ(gpt2.activation, config::Activation::kGelu);
  EXPECT_EQ(gpt2.dropout, 0.1);
  EXPECT_TRUE(gpt2.tied);
  const config::ModelConfig qwen =
      load(R"({"model_type": "qwen2", "num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 96,
               "num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 100, "rope_theta": 1000000.0,
               "tie_word_embeddings": true, "hidden_act": "silu", "use_sliding_window": false})")
          .model;
  EXPECT_EQ(qwen.name, config::Architecture::kQwen);
  EXPECT_EQ(qwen.kv_heads, 2);
  const config::ModelConfig distilbert =
      load(R"({"model_type": "distilbert", "n_layers": 2, "dim": 64, "hidden_dim": 96, "n_heads": 4,
               "vocab_size": 100, "max_position_embeddings": 512, "dropout": 0.1, "activation": "gelu"})")
          .model;
  EXPECT_EQ(distilbert.name, config::Architecture::kDistilBert);
  EXPECT_EQ(distilbert.d_ff, 96);
}

// The settings in force can be run again without the file.
TEST_F(ModelFile, IsNotInTheResolvedConfiguration) {
  const std::string yaml = load(kLlama100m).resolved_yaml;
  EXPECT_EQ(yaml.find("model.json"), std::string::npos) << yaml;
  EXPECT_EQ(config::parse_config(yaml, "/elsewhere/config.yaml").resolved_yaml, yaml);
}

TEST_F(ModelFile, IsRefusedWithItsPlaces) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(problems(kLlama100m, ", size: 9m"),
            (Lines{"t.yaml:1:35: model.size: cannot be combined with model.config, which sets the same; "
                   "remove one of them"}));
  EXPECT_EQ(problems(kLlama100m, ", name: gpt2"),
            (Lines{"model.json:10:19: model.config: describes a llama, but model.name is 'gpt2'; remove "
                   "model.name, or name another file"}));
  EXPECT_EQ(
      problems(R"({"model_type": "mamba"})"),
      (Lines{"model.json:1:16: model.config: expected a model_type of llama, gpt2, qwen2 or distilbert, "
             "found 'mamba'"}));
  EXPECT_EQ(
      problems(R"({"hidden_size": 64})"),
      (Lines{"model.json: model.config: expected a model_type of llama, gpt2, qwen2 or distilbert, found "
             "none"}));
  EXPECT_EQ(problems(R"({"model_type": "llama", "num_hidden_layers": -1, "hidden_size": 64,
 "intermediate_size": 96, "num_attention_heads": 4, "vocab_size": 100, "hidden_act": "gelu"})"),
            (Lines{"model.json:1:46: model.layers: expected an integer from 1 to 10000, found '-1'",
                   "model.json:2:86: model.config: sets hidden_act: 'gelu', which llama does not support "
                   "here; expected silu"}));
  EXPECT_EQ(problems(R"({"model_type": "llama", "hidden_size": 64})").size(), 4u)
      << "four fields are missing";
}

TEST_F(ModelFile, ThatIsNotThereIsAProblem) {
  const auto lines = problems_of("model: {config: /no/such/model.json}\n");
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("/no/such/model.json"), std::string::npos) << lines[0];
}

}  // namespace
}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// Invalid adapter settings, and the defaults.
#include <gtest/gtest.h>

#include "host/config/adapter.hpp"
#include "host/config/loading/load.hpp"
#include "tests/config/problem_case.hpp"

namespace strata::test {
namespace {

std::string llama_with(const std::string& line) {
  return "model: {name: llama, size: 9m}\n" + line + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Adapters, OneFile,
    testing::Values(
        Case{"lora", llama_with("adapter: {name: lora}"), {}},
        Case{"all_linear_of_gpt2",
             "model: {name: gpt2, size: small}\nadapter: {name: lora, targets: all-linear, rank: 1, alpha: "
             "0.5}\n",
             {}},
        Case{"nf4_in_autocast",
             llama_with(
                 "adapter: {name: lora, base: nf4, double_quantization: true}\nprecision: bf16_autocast"),
             {}},
        Case{"none", with("adapter: {name: none}"), {}},
        Case{"rank_without_a_name",
             llama_with("adapter: {rank: 4}"),
             {"t.yaml:2:17: adapter.rank: has an effect only with adapter.name: lora; remove it, or change "
              "adapter.name"}},
        Case{"of_another_model",
             with("adapter: {name: lora}"),
             {"t.yaml:2:17: adapter.name: lora supports llama, qwen and gpt2, but model.name is transformer; "
              "remove the adapter, or choose another model"}},
        Case{"unknown_target",
             llama_with("adapter: {name: lora, targets: [q_proj, v_prj]}"),
             {"t.yaml:2:32: adapter.targets: expected layers of llama, of q_proj, k_proj, v_proj, o_proj, "
              "gate_proj, up_proj, down_proj, all-linear, found 'v_prj'; did you mean 'v_proj'?"}},
        Case{"target_of_another_model",
             "model: {name: gpt2, size: small}\nadapter: {name: lora, targets: q_proj}\n",
             {"t.yaml:2:32: adapter.targets: expected layers of gpt2, of c_attn, c_proj, c_fc, all-linear, "
              "found 'q_proj'; did you mean 'c_proj'?"}},
        Case{"no_target",
             llama_with("adapter: {name: lora, targets: []}"),
             {"t.yaml:2:32: adapter.targets: expected a name, or a list of names, found a list"}},
        Case{"double_quantization_of_bf16",
             llama_with("adapter: {name: lora, base: bf16, double_quantization: true}\nprecision: bf16"),
             {"t.yaml:2:56: adapter.double_quantization: has an effect only with adapter.base: nf4; remove "
              "it, or change adapter.base"}},
        Case{"bf16_in_fp32",
             llama_with("adapter: {name: lora, base: bf16}"),
             {"t.yaml:2:29: adapter.base: bf16 weights need computation in bf16, but precision is fp32; "
              "choose precision: bf16 or bf16_autocast, or base: fp32"}},
        Case{"fp32_in_bf16",
             llama_with("adapter: {name: lora, base: fp32}\nprecision: bf16"),
             {"t.yaml:2:29: adapter.base: fp32 weights cannot be used with precision: bf16; choose base: "
              "bf16, or precision: bf16_autocast"}},
        Case{"nf4_in_fp16",
             llama_with("adapter: {name: lora, base: nf4}\nprecision: fp16_autocast"),
             {"t.yaml:2:29: adapter.base: nf4 weights need computation in bf16 or fp32, but precision is "
              "fp16_autocast; choose precision: bf16 or bf16_autocast"}},
        Case{"fp64",
             llama_with("adapter: {name: lora}\nprecision: fp64"),
             {"t.yaml:3:12: precision: fp64 is not supported with adapters, which are float32; choose "
              "another precision"}},
        Case{"reentrant",
             llama_with("adapter: {name: lora}\ncheckpointing: {every: 1, reentrant: true}"),
             {"t.yaml:3:16: checkpointing: reentrant needs an input that requires a gradient, and with an "
              "adapter the first block's does not; remove reentrant"}},
        Case{"nf4_on_two_ranks",
             llama_with("adapter: {name: lora, base: nf4}\nworld_size: 2"),
             {"t.yaml:2:29: adapter.base: nf4 supports only one device; choose base: bf16, or world_size: "
              "1"}}),
    [](const auto& test) { return test.param.name; });

config::RunConfig adapted(const std::string& model, const std::string& rest = "") {
  return config::parse_config("model: " + model + "\nadapter: {name: lora}\n" + rest, "t.yaml");
}

TEST(Adapter, DefaultsAreThoseOfPeft) {
  const config::AdapterConfig llama = adapted("{name: llama, size: 7b}").adapter;
  EXPECT_EQ(llama.rank, 8);
  EXPECT_EQ(llama.alpha, 8.0);
  EXPECT_EQ(llama.targets, (Lines{"q_proj", "v_proj"}));
  EXPECT_EQ(llama.base, config::BaseStorage::kFp32);
  EXPECT_EQ(adapted("{name: qwen, size: 0.5b}").adapter.targets, (Lines{"q_proj", "v_proj"}));
  EXPECT_EQ(adapted("{name: gpt2, size: small}").adapter.targets, Lines{"c_attn"});
  EXPECT_EQ(adapted("{name: llama, size: 7b}", "precision: bf16\n").adapter.base, config::BaseStorage::kBf16);
}

// The 4,194,304 of 7b is what peft prints for LLaMA 7B with rank 8.
TEST(Adapter, AddsTwoMatricesOfTheRankToEachTarget) {
  const config::RunConfig config = adapted("{name: llama, size: 7b}");
  EXPECT_EQ(config::adapter_parameter_count(config.model, config.adapter), 4'194'304);
  EXPECT_EQ(config::parameter_count(config), 6'738'415'616 + 4'194'304);
  const config::RunConfig plain = config::parse_config("model: {name: llama, size: 7b}\n", "t.yaml");
  EXPECT_EQ(config::adapter_parameter_count(plain.model, plain.adapter), 0);
}

}  // namespace
}  // namespace strata::test

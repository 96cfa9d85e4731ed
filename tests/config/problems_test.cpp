// Every way in which a configuration can be wrong: the message and its place.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/config/problems_of.hpp"

namespace strata::test {
namespace {

using Lines = std::vector<std::string>;

struct Case {
  const char* name;
  std::string yaml;
  Lines expected;
};

class OneFile : public testing::TestWithParam<Case> {};

TEST_P(OneFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problems_of(GetParam().yaml), GetParam().expected);
}

std::string with(const std::string& line) {
  return "model: {size: small}\n" + line + "\n";
}

INSTANTIATE_TEST_SUITE_P(
    Keys, OneFile,
    testing::Values(
        Case{"misspelt",
             with("optimizer: {lrr: 1}"),
             {"t.yaml:2:13: optimizer.lrr: unknown key; did you mean 'lr'?"}},
        Case{"misspelt_section",
             with("optimiser: {lr: 1}"),
             {"t.yaml:2:1: optimiser: unknown key; did you mean 'optimizer'?"}},
        Case{"of_another_section",
             with("lr: 1"),
             {"t.yaml:2:1: lr: unknown key; did you mean `optimizer: {lr: ...}`?"}},
        Case{"path_as_one_word",
             with("optimizer.lr: 1"),
             {"t.yaml:2:1: optimizer.lr: unknown key; did you mean `optimizer: {lr: ...}`?"}},
        Case{"of_the_top",
             with("backend: {device: cpu}"),
             {"t.yaml:2:11: backend.device: unknown key; did you mean 'device', at the top?"}},
        Case{"unlike_any",
             with("zero_grad: {frobnicate: 1}"),
             {"t.yaml:2:13: zero_grad.frobnicate: unknown key; expected one of at, set_to_none"}},
        Case{"twice",
             with("seed: 1\nseed: 2"),
             {"t.yaml:3:1: seed: written twice; the first is at t.yaml:2:1"}},
        Case{"section_twice",
             with("model: {size: large}"),
             {"t.yaml:2:1: model: written twice; the first is at t.yaml:1:1"}},
        Case{"merge_key",
             "a: &a {size: small}\nmodel: {<<: *a, size: small}\n",
             {"t.yaml:1:1: a: unknown key; expected one of name, mode, precision, autocast_cache, "
              "checkpointing, accumulation, attention, seed, device, plugins, strict, world_size, model, "
              "data, "
              "optimizer, grad_scaler, zero_grad, schedule, backend, ddp, trace, store",
              "t.yaml:2:9: model.<<: unknown key; expected one of name, size, config, layers, d_model, d_ff, "
              "heads, "
              "kv_heads, vocab, context, positions, rope_theta, norm_epsilon, tied, bias, activation, "
              "dropout, classes, image_size, file, task, init"}},
        Case{"not_a_name", with("[a, b]: 1"), {"t.yaml:2:1: expected the name of a key, found a list"}},
        Case{"required_section_is_a_value",
             "model: small\n",
             {"t.yaml:1:8: model: expected a mapping of name, size, config, layers, d_model, d_ff, heads, "
              "kv_heads, "
              "vocab, context, positions, rope_theta, norm_epsilon, tied, bias, activation, dropout, "
              "classes, image_size, file, task, init, "
              "found 'small'"}},
        Case{"section_is_a_value",
             with("zero_grad: step_start"),
             {"t.yaml:2:12: zero_grad: expected a mapping of at, set_to_none, found 'step_start'"}},
        Case{"required",
             "seed: 1\n",
             {"t.yaml: model.size: is required: expected a size of the model, such as small, or custom, "
              "found nothing"}},
        Case{"required_in_a_section",
             "model: {layers: 2}\n",
             {"t.yaml:1:1: model.size: is required: expected a size of the model, such as small, or custom, "
              "found nothing"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Values, OneFile,
    testing::Values(
        Case{"text_for_integer",
             with("seed: abc"),
             {"t.yaml:2:7: seed: expected an integer of at least 0, found 'abc'"}},
        Case{"real_for_integer",
             with("accumulation: 1.5"),
             {"t.yaml:2:15: accumulation: expected an integer from 1 to 1000000, found '1.5'"}},
        Case{"exponent_for_integer",
             with("accumulation: 1e3"),
             {"t.yaml:2:15: accumulation: expected an integer from 1 to 1000000, found '1e3'"}},
        Case{"quoted_integer",
             with("seed: \"1\""),
             {"t.yaml:2:7: seed: expected an integer of at least 0, found '1' in quotes"}},
        Case{"integer_too_large",
             with("seed: 9223372036854775808"),
             {"t.yaml:2:7: seed: expected an integer of at least 0, found '9223372036854775808'"}},
        Case{"integer_below",
             with("schedule: {active: 0}"),
             {"t.yaml:2:20: schedule.active: expected an integer from 1 to 1000000000, found '0'"}},
        Case{"nothing_for_integer",
             with("seed:"),
             {"t.yaml:2:1: seed: expected an integer of at least 0, found nothing"}},
        Case{"list_for_real",
             with("optimizer: {lr: [1]}"),
             {"t.yaml:2:17: optimizer.lr: expected a number from 0, found a list"}},
        Case{"not_a_number",
             with("optimizer: {lr: .nan}"),
             {"t.yaml:2:17: optimizer.lr: expected a number from 0, found '.nan'"}},
        Case{"infinite",
             with("optimizer: {lr: 1e999}"),
             {"t.yaml:2:17: optimizer.lr: expected a number from 0, found '1e999'"}},
        Case{"open_end",
             with("optimizer: {beta1: 1.0}"),
             {"t.yaml:2:20: optimizer.beta1: expected a number from 0 below 1, found '1.0'"}},
        Case{"open_start",
             with("optimizer: {epsilon: 0}"),
             {"t.yaml:2:22: optimizer.epsilon: expected a number above 0, found '0'"}},
        Case{"word_for_flag",
             with("strict: maybe"),
             {"t.yaml:2:9: strict: expected true or false, found 'maybe'"}},
        Case{"number_for_flag", with("strict: 1"), {"t.yaml:2:9: strict: expected true or false, found '1'"}},
        Case{"misspelt_choice",
             with("mode: forwrad"),
             {"t.yaml:2:7: mode: expected one of train, forward, forward_grad, found 'forwrad'; did you mean "
              "'forward'?"}},
        Case{"misspelt_size",
             "model: {size: smal}\n",
             {"t.yaml:1:15: model.size: expected a size of transformer, one of small, medium, large, "
              "xl-2025, 2.7b, 10b, custom, "
              "found 'smal'; "
              "did you mean 'small'?"}},
        Case{"mapping_for_choice",
             with("mode: {a: 1}"),
             {"t.yaml:2:7: mode: expected one of train, forward, forward_grad, found a mapping"}},
        Case{"bad_bytes",
             with("store: {spool_bytes: 4 MB}"),
             {"t.yaml:2:22: store.spool_bytes: expected a number of bytes such as 65536, 64KiB or 1.5GiB, "
              "from 64KiB to "
              "1TiB, found '4 MB'"}},
        Case{"bytes_below",
             with("store: {spool_bytes: 1KiB}"),
             {"t.yaml:2:22: store.spool_bytes: expected a number of bytes such as 65536, 64KiB or 1.5GiB, "
              "from 64KiB to "
              "1TiB, found '1KiB'"}},
        Case{"name_with_slash",
             with("name: ../x"),
             {"t.yaml:2:7: name: expected a name of letters, digits, '.', '_' and '-', with no '.' or '-' in "
              "front, "
              "found '../x'"}},
        Case{
            "long_value",
            with("seed: " + std::string(500, 'x')),
            {"t.yaml:2:7: seed: expected an integer of at least 0, found '" + std::string(40, 'x') + "...'"}},
        Case{"control_characters",
             with("seed: \"a\\e[31mb\\n\""),
             {"t.yaml:2:7: seed: expected an integer of at least 0, found 'a [31mb ' in quotes"}}),
    [](const auto& info) { return info.param.name; });

constexpr const char* kCheckpointing =
    "none, block, {every: <blocks>} or {select: attention or mlp}, these with reentrant: true if wanted";

INSTANTIATE_TEST_SUITE_P(
    Checkpointing, OneFile,
    testing::Values(
        Case{"none", with("checkpointing: none"), {}}, Case{"block", with("checkpointing: block"), {}},
        Case{"every", with("checkpointing: {every: 2}"), {}},
        Case{"select", with("checkpointing: {select: mlp, reentrant: true}"), {}},
        Case{"unknown_word",
             with("checkpointing: blocks"),
             {std::string("t.yaml:2:16: checkpointing: expected ") + kCheckpointing + ", found 'blocks'"}},
        Case{"nothing_chosen",
             with("checkpointing: {reentrant: true}"),
             {std::string("t.yaml:2:16: checkpointing: expected ") + kCheckpointing + ", found a mapping"}},
        Case{"both",
             with("checkpointing: {every: 2, select: mlp}"),
             {"t.yaml:2:35: checkpointing.select: cannot stand beside every; remove one of them"}},
        Case{"no_block",
             with("checkpointing: {every: 0}"),
             {"t.yaml:2:24: checkpointing.every: expected an integer from 1 to 10000, found '0'"}},
        Case{"unknown_part",
             with("checkpointing: {select: norm}"),
             {"t.yaml:2:25: checkpointing.select: expected attention or mlp, found 'norm'"}},
        Case{"not_reentrant",
             with("checkpointing: {every: 1, reentrant: maybe}"),
             {"t.yaml:2:38: checkpointing.reentrant: expected true or false, found 'maybe'"}},
        Case{"unknown_key",
             with("checkpointing: {evry: 1}"),
             {"t.yaml:2:17: checkpointing.evry: unknown key; did you mean 'every'?; expected every, select, "
              "reentrant"}},
        Case{"without_autograd",
             with("checkpointing: block\nmode: forward"),
             {"t.yaml:2:16: checkpointing: has a meaning only where autograd records; remove it, or choose "
              "mode: train or forward_grad"}}),
    [](const auto& info) { return info.param.name; });

const std::string kOnH100 = std::string("device: {dry: ") + STRATA_DEVICES + "/h100-80gb.yaml}\n";

INSTANTIATE_TEST_SUITE_P(
    Kernels, OneFile,
    testing::Values(
        Case{"flash_on_the_cpu", with("attention: sdpa_flash"), {}},
        Case{"flash_with_dropout",
             "model: {name: gpt2, size: small, dropout: 0.1}\nattention: sdpa_flash\n",
             {"t.yaml:2:12: attention: sdpa_flash drops nothing on the CPU, but model.dropout is not 0; "
              "choose "
              "sdpa_math, or another device"}},
        Case{"flash_of_16_bits", kOnH100 + with("attention: sdpa_flash\nprecision: bf16"), {}},
        Case{"flash_of_32_bits",
             kOnH100 + with("attention: sdpa_flash"),
             {"t.yaml:3:12: attention: sdpa_flash computes in 16 bits on CUDA, but precision is fp32; choose "
              "sdpa_efficient or sdpa_math, or precision: bf16_autocast"}},
        Case{"efficient_on_the_cpu",
             with("attention: sdpa_efficient"),
             {"t.yaml:2:12: attention: sdpa_efficient is a kernel of CUDA; choose sdpa_flash or sdpa_math on "
              "the CPU, or another device"}},
        Case{"efficient_of_64_bits",
             kOnH100 + with("attention: sdpa_efficient\nprecision: fp64"),
             {"t.yaml:3:12: attention: sdpa_efficient has no fp64; choose sdpa_math, or another precision"}},
        Case{"efficient_of_shared_keys",
             kOnH100 + "model: {name: qwen, size: 0.5b}\nattention: sdpa_efficient\n",
             {"t.yaml:3:12: attention: sdpa_efficient has no keys that heads share, but model.kv_heads is 2 "
              "of 14; "
              "choose sdpa_math or sdpa, or as many kv_heads as heads"}},
        Case{"tf32_on_the_cpu",
             with("precision: tf32"),
             {"t.yaml:2:12: precision: tf32 is a format of CUDA devices' matrix units; choose fp32 on the "
              "CPU, "
              "or another device"}},
        Case{"tf32_on_cuda", kOnH100 + with("precision: tf32"), {}},
        Case{"cache_without_casts",
             with("autocast_cache: false"),
             {"t.yaml:2:17: autocast_cache: has a meaning only with precision: bf16_autocast or "
              "fp16_autocast; remove it, or change precision"}},
        Case{"scaler_without_fp16",
             with("grad_scaler: {init_scale: 8}\nprecision: bf16_autocast"),
             {"t.yaml:2:27: grad_scaler.init_scale: has a meaning only with precision: fp16_autocast; remove "
              "it, or change precision"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Models, OneFile,
    testing::Values(
        Case{"size_of_another_model",
             "model: {name: llama, size: small}\n",
             {"t.yaml:1:28: model.size: expected a size of llama, one of 9m, 20m, 35m, 40m, 60m, 71m, 100m, "
              "130m, 250m, 350m, 1b, 3b, 7b, custom, found 'small'"}},
        Case{"gpt2_of_an_odd_head", "model: {name: gpt2, size: small, heads: 256}\n", {}},
        Case{"more_tokens_than_positions",
             "model: {name: gpt2, size: small, context: 2048}\n",
             {"t.yaml:1:43: model.context: expected at most model.positions (1024), found 2048; lower it, or "
              "raise model.positions"}},
        Case{"kv_heads",
             "model: {name: qwen, size: 0.5b, kv_heads: 4}\n",
             {"t.yaml:1:43: model.kv_heads: expected kv_heads that divide heads, found 4 for 14 heads"}},
        Case{"kv_heads_of_the_course",
             "model: {size: small, kv_heads: 4}\n",
             {"t.yaml:1:32: model.kv_heads: has a meaning only with model.name: llama or qwen; remove it, or "
              "change model.name"}},
        Case{"text_of_a_model_of_images",
             "model: {name: resnet18}\ndata: {source: text, path: /proc/self/exe}\n",
             {"t.yaml:2:16: data.source: expected synthetic or images with model.name: resnet18, which takes "
              "images"}},
        Case{"attention_of_a_model_of_images",
             "model: {name: resnet50}\nattention: sdpa\n",
             {"t.yaml:2:12: attention: has no meaning with model.name: resnet50, which has none; remove it"}},
        Case{"mlp_of_a_model_of_images",
             "model: {name: resnet18}\ncheckpointing: {select: mlp}\n",
             {"t.yaml:2:16: checkpointing: expected none, block or every with model.name: resnet18, whose "
              "blocks have no attention and no mlp"}},
        Case{"blocks_of_a_model_of_images", "model: {name: resnet18}\ncheckpointing: block\n", {}},
        Case{"script_without_file",
             "model: {name: torchscript, vocab: 10}\n",
             {"t.yaml:1:1: model.file: is required with model.name: torchscript: expected a file, found "
              "nothing"}},
        Case{"script_that_is_not_there",
             "model: {name: torchscript, file: /no/such.pt, vocab: 10}\n",
             {"t.yaml:1:34: model.file: cannot read '/no/such.pt': No such file or directory"}},
        Case{"script_without_vocabulary",
             "model: {name: torchscript, file: /proc/self/exe}\n",
             {"t.yaml:1:1: model.vocab: is required with model.name: torchscript, to draw tokens from"}},
        Case{"what_a_script_decides_itself",
             "model: {name: torchscript, file: /proc/self/exe, task: image_class, init: hash}\nattention: "
             "sdpa\n"
             "checkpointing: block\n",
             {"t.yaml:1:75: model.init: hash fills our own models; remove it with model.name: torchscript",
              "t.yaml:2:12: attention: the file says how it attends; remove it with model.name: torchscript",
              "t.yaml:3:16: checkpointing: needs the blocks of our own models; remove it with model.name: "
              "torchscript, or checkpoint within the file"}},
        Case{"only_size_of_distilbert", "model: {name: distilbert}\n", {}},
        Case{"bias_of_llama",
             "model: {name: llama, size: 9m, bias: false}\n",
             {"t.yaml:1:38: model.bias: has a meaning only with model.name: gpt2; remove it, or change "
              "model.name"}}),
    [](const auto& info) { return info.param.name; });

constexpr const char* kDevices =
    "cpu, cuda, cuda:<number>, or {dry: <profile>, count: <devices>} with a profile of `strata devices`";
const std::string kH100 = std::string(STRATA_DEVICES) + "/h100-80gb.yaml";

INSTANTIATE_TEST_SUITE_P(
    Devices, OneFile,
    testing::Values(
        Case{"cuda", with("device: cuda"), {}}, Case{"second_cuda", with("device: cuda:1"), {}},
        Case{"dry_by_file", with("device: {dry: " + kH100 + ", count: 8}"), {}},
        Case{"unknown",
             with("device: gpu"),
             {std::string("t.yaml:2:9: device: expected ") + kDevices + ", found 'gpu'"}},
        Case{"cuda_of_no_number",
             with("device: cuda:x"),
             {std::string("t.yaml:2:9: device: expected ") + kDevices + ", found 'cuda:x'"}},
        Case{"no_profile",
             with("device: {count: 2}"),
             {std::string("t.yaml:2:9: device: expected ") + kDevices + ", found a mapping"}},
        Case{"no_such_file",
             with("device: {dry: /nowhere/card.yaml}"),
             {"t.yaml:2:15: device.dry: there is no file '/nowhere/card.yaml'"}},
        Case{"no_devices",
             with("device: {dry: " + kH100 + ", count: 0}"),
             {"t.yaml:2:" + std::to_string(24 + kH100.size()) +
              ": device.count: expected an integer from 1 to 64, found '0'"}},
        Case{"no_answers",
             with("device: {dry: " + kH100 + ", answers: /nowhere/answers.yaml}"),
             {"t.yaml:2:" + std::to_string(26 + kH100.size()) +
              ": device.answers: there is no file '/nowhere/answers.yaml'"}},
        Case{"dry_settings",
             with("device: {dry: " + kH100 +
                  ", clock: modelled, cudnn_workspace: 32MiB, cusolver_workspace: 0, nccl_memory: 1GiB}"),
             {}},
        Case{"no_clock",
             with("device: {dry: " + kH100 + ", clock: real}"),
             {"t.yaml:2:" + std::to_string(24 + kH100.size()) +
              ": device.clock: expected none or modelled, found 'real'"}},
        Case{"no_workspace",
             with("device: {dry: " + kH100 + ", cudnn_workspace: 2GiB}"),
             {"t.yaml:2:" + std::to_string(34 + kH100.size()) +
              ": device.cudnn_workspace: expected bytes, such as 32MiB, of less than 2GiB, found '2GiB'"}},
        Case{"unknown_key",
             with("device: {dry: " + kH100 + ", cout: 2}"),
             {"t.yaml:2:" + std::to_string(17 + kH100.size()) +
              ": device.cout: unknown key; did you mean 'count'?; expected dry, count, answers, clock, "
              "cudnn_workspace, cusolver_workspace, nccl_memory"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Optimizers, OneFile,
    testing::Values(
        Case{"galore",
             with("optimizer: {name: galore_adamw, rank: 768, update_proj_gap: 1, scale: 1, proj_type: full, "
                  "keep_factor: false, epsilon: 1e-6}"),
             {}},
        Case{"rsvd", with("optimizer: {name: rsvd_adam, rank_fraction: 1, update_proj_gap: 10}"), {}},
        Case{"muon", with("optimizer: {name: muon, momentum: 0.9, epsilon: 1e-7}"), {}},
        Case{"clipped_and_scheduled",
             with("optimizer: {clip_norm: 1, lr_schedule: cosine, lr_warmup_steps: 2, lr_final_share: 1, "
                  "init_state: dummy, impl: fused}"),
             {}},
        Case{
            "foreach_of_lion",
            with("optimizer: {name: lion, impl: foreach}"),
            {"t.yaml:2:31: optimizer.impl: lion has only a loop; choose loop, or optimizer.name: adamw, adam "
             "or sgd"}},
        Case{"fused_of_galore",
             with("optimizer: {name: galore_adamw, impl: fused}"),
             {"t.yaml:2:39: optimizer.impl: galore_adamw has only a loop; choose loop, or optimizer.name: "
              "adamw, adam or sgd"}},
        Case{
            "rank_above_all_sides",
            with("optimizer: {name: galore_adamw, rank: 769}"),
            {"t.yaml:2:39: optimizer.rank: expected at most 768, the shorter of d_model and d_ff, found 769; "
             "no gradient that is projected has a larger rank"}},
        Case{"default_rank_above_all_sides",
             "model: {size: custom, layers: 1, d_model: 64, d_ff: 32, heads: 2, vocab: 300}\n"
             "optimizer: {name: galore_adamw}\n",
             {"t.yaml:2:1: optimizer.rank: expected at most 32, the shorter of d_model and d_ff, found 128; "
              "no gradient that is projected has a larger rank"}},
        Case{"no_rank",
             with("optimizer: {name: galore_adamw, rank: 0}"),
             {"t.yaml:2:39: optimizer.rank: expected an integer from 1 to 1000000, found '0'"}},
        Case{"rank_of_adamw",
             with("optimizer: {rank: 8}"),
             {"t.yaml:2:19: optimizer.rank: has a meaning only with optimizer.name: galore_adamw; remove it, "
              "or change optimizer.name"}},
        Case{"rank_fraction_of_galore",
             with("optimizer: {name: galore_adamw, rank_fraction: 0.1}"),
             {"t.yaml:2:48: optimizer.rank_fraction: has a meaning only with optimizer.name: rsvd_adam; "
              "remove it, or change optimizer.name"}},
        Case{"gap_of_muon",
             with("optimizer: {name: muon, update_proj_gap: 10}"),
             {"t.yaml:2:42: optimizer.update_proj_gap: has a meaning only with optimizer.name: galore_adamw "
              "or rsvd_adam; remove it, or change optimizer.name"}},
        Case{"epsilon_of_adafactor",
             with("optimizer: {name: adafactor, epsilon: 1e-8}"),
             {"t.yaml:2:39: optimizer.epsilon: has a meaning only with optimizer.name: adamw, adam, muon, "
              "adam8bit, "
              "galore_adamw or rsvd_adam; remove it, or change optimizer.name"}},
        Case{"final_share_of_a_constant",
             with("optimizer: {lr_final_share: 0.1}"),
             {"t.yaml:2:29: optimizer.lr_final_share: has a meaning only with optimizer.lr_schedule: linear "
              "or cosine; remove it, or change optimizer.lr_schedule"}},
        Case{"final_share_above_one",
             with("optimizer: {lr_schedule: linear, lr_final_share: 1.1}"),
             {"t.yaml:2:50: optimizer.lr_final_share: expected a number from 0 to 1, found '1.1'"}},
        Case{"per_layer", with("optimizer: {name: galore_adamw, per_layer: true}"), {}},
        Case{"per_layer_accumulated",
             with("optimizer: {per_layer: true}\naccumulation: 2"),
             {"t.yaml:2:24: optimizer.per_layer: steps in every backward, so that nothing would be "
              "accumulated; remove it, or choose accumulation: 1"}},
        Case{"per_layer_clipped",
             with("optimizer: {per_layer: true, clip_norm: 1}"),
             {"t.yaml:2:24: optimizer.per_layer: frees gradients before their common norm is known; remove "
              "it, or choose optimizer.clip_norm: 0"}},
        Case{"per_layer_scaled",
             with("optimizer: {per_layer: true}\nprecision: fp16_autocast"),
             {"t.yaml:2:24: optimizer.per_layer: steps before it is known whether a scaled gradient "
              "overflowed; remove it, or choose another precision than fp16_autocast"}},
        Case{"per_layer_fused",
             with("optimizer: {per_layer: true, impl: fused}"),
             {"t.yaml:2:24: optimizer.per_layer: steps one parameter at a time, which foreach and fused are "
              "not for; remove it, or choose optimizer.impl: loop"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Rules, OneFile,
    testing::Values(
        Case{"nothing_is_wrong", with("seed: 1"), {}},
        Case{"heads",
             "model: {size: small, heads: 5}\n",
             {"t.yaml:1:29: model.heads: expected heads that divide d_model, found 5 heads for d_model 768"}},
        Case{"odd_head",
             "model: {size: small, heads: 256}\n",
             {"t.yaml:1:29: model.heads: expected an even number of elements a head (RoPE turns pairs), "
              "found 768 / 256 "
              "= 3"}},
        Case{"custom_needs_all",
             "model: {size: custom, layers: 1}\n",
             {"t.yaml:1:15: model.d_model: is required with model.size: custom",
              "t.yaml:1:15: model.d_ff: is required with model.size: custom",
              "t.yaml:1:15: model.heads: is required with model.size: custom",
              "t.yaml:1:15: model.vocab: is required with model.size: custom"}},
        Case{"momentum_of_sgd",
             with("optimizer: {momentum: 0.9}"),
             {"t.yaml:2:23: optimizer.momentum: has a meaning only with optimizer.name: sgd or muon; remove "
              "it, or change optimizer.name"}},
        Case{
            "beta_of_adamw",
            with("optimizer: {name: sgd, beta1: 0.9}"),
            {"t.yaml:2:31: optimizer.beta1: has a meaning only with optimizer.name: adamw, adam, lion, muon, "
             "adam8bit, galore_adamw or rsvd_adam; remove it, or change optimizer.name"}},
        Case{"path_of_text",
             with("data: {path: /proc/self/exe}"),
             {"t.yaml:2:14: data.path: has a meaning only with data.source: text, images or batch; remove "
              "it, or change "
              "data.source"}},
        Case{"too_little_text",
             with("data: {source: text, path: /proc/self/exe, max_bytes: 512}"),
             {"t.yaml:2:28: data.path: expected at least 513 tokens, one sequence of model.context and its "
              "target, "
              "found 512 in 1 file(s); name more text, raise data.max_bytes, or lower model.context"}},
        Case{
            "pinned_memory_on_the_cpu",
            with("data: {pin_memory: true}"),
            {"t.yaml:2:20: data.pin_memory: has a meaning only where a CUDA device copies from the host, but "
             "device is cpu; remove it, or choose another device"}},
        Case{"pinned_memory_on_cuda", kOnH100 + with("data: {pin_memory: true}"), {}},
        Case{"nothing_ahead",
             with("data: {workers: 2, prefetch: 0}"),
             {"t.yaml:2:30: data.prefetch: expected an integer from 1 to 10000, found '0'"}},
        Case{"range_beside_its_parts",
             with("schedule: {steps: 3-8, active: 2}"),
             {"t.yaml:2:32: schedule.active: cannot stand beside schedule.steps, which says the same; remove "
              "one of "
              "them"}},
        Case{"range_backwards",
             with("schedule: {steps: 8-3}"),
             {"t.yaml:2:19: schedule.steps: expected a range such as 3-8, or one number, from 0 to "
              "1000000000, found "
              "'8-3'"}},
        Case{"text_needs_path",
             with("data: {source: text}"),
             {"t.yaml:2:1: data.path: is required with data.source: text: expected a file, folder or "
              "pattern, found "
              "nothing"}},
        Case{"path_without_file",
             with("data: {source: text, path: /no/such/*.py}"),
             {"t.yaml:2:28: data.path: expected an existing file, folder or pattern, found no file at "
              "'/no/such/*.py'"}},
        Case{"unset_variable",
             with("data: {source: text, path: ['${STRATA_TEST_UNSET}/a']}"),
             {"t.yaml:2:29: data.path: the environment variable STRATA_TEST_UNSET in "
              "'${STRATA_TEST_UNSET}/a' is not "
              "set"}},
        Case{"open_brace",
             with("data: {source: text, path: ['${HOME']}"),
             {"t.yaml:2:29: data.path: expected '}' after '${' in '${HOME'"}},
        Case{"vocabulary_of_bytes",
             "model: {size: small, vocab: 255}\ndata: {source: text, path: /proc/self/exe}\n",
             {"t.yaml:1:29: model.vocab: expected at least 256 with data.tokens: bytes, found 255"}},
        Case{"vocabulary_of_uint16",
             "model: {size: small, vocab: 65537}\ndata: {source: text, path: /proc/self/exe, tokens: "
             "uint16}\n",
             {"t.yaml:1:29: model.vocab: expected at most 65536 with data.tokens: uint16, found 65537"}}),
    [](const auto& info) { return info.param.name; });

TEST(Problems, OfOneFileComeTogetherFromTopToBottom) {
  const Lines expected{
      "t.yaml:1:15: model.size: expected a size of transformer, one of small, medium, large, xl-2025, 2.7b, "
      "10b, custom, "
      "found 'tiny'",
      "t.yaml:2:13: optimizer.lrr: unknown key; did you mean 'lr'?",
      "t.yaml:3:9: strict: expected true or false, found 'maybe'",
      "t.yaml:4:10: plugins: expected a list of plugins, each a name or {name: {option: value}}, found "
      "'allocator_tracer'",
      "command line: seed=x: seed: expected an integer of at least 0, found 'x'"};
  EXPECT_EQ(
      problems_of("model: {size: tiny}\noptimizer: {lrr: 1}\nstrict: maybe\nplugins: allocator_tracer\n",
                  {"seed=x"}),
      expected);
}

struct OverrideCase {
  const char* name;
  const char* override;
  Lines expected;
};

class OneOverride : public testing::TestWithParam<OverrideCase> {};

TEST_P(OneOverride, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problems_of("model: {size: small}\n", {GetParam().override}), GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(
    CommandLine, OneOverride,
    testing::Values(
        OverrideCase{
            "no_equals", "seed", {"command line: seed: expected key.path=value, such as optimizer.lr=1e-3"}},
        OverrideCase{
            "no_key", "=1", {"command line: =1: expected key.path=value, such as optimizer.lr=1e-3"}},
        OverrideCase{"unknown",
                     "optimizer.lrr=1",
                     {"command line: optimizer.lrr=1: optimizer.lrr: unknown key; did you mean 'lr'?"}},
        OverrideCase{"unknown_section",
                     "optimiser.lr=1",
                     {"command line: optimiser.lr=1: optimiser.lr: unknown key; did you mean 'optimizer'?"}},
        OverrideCase{"unknown_top", "sed=1", {"command line: sed=1: sed: unknown key; did you mean 'seed'?"}},
        OverrideCase{"below_a_value",
                     "seed.x=1",
                     {"command line: seed.x=1: seed.x: unknown key; did you mean 'seed'?"}},
        OverrideCase{
            "type", "seed=x", {"command line: seed=x: seed: expected an integer of at least 0, found 'x'"}},
        OverrideCase{"nothing",
                     "seed=",
                     {"command line: seed=: seed: expected an integer of at least 0, found nothing"}},
        OverrideCase{"not_yaml",
                     "plugins=[a",
                     {"command line: plugins=[a: plugins: the value is not valid YAML: end of sequence flow "
                      "not found"}},
        OverrideCase{
            "unknown_in_a_section",
            "zero_grad={att: step_end}",
            {"command line: zero_grad={att: step_end}: zero_grad.att: unknown key; did you mean 'at'?"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace strata::test

// SPDX-License-Identifier: Apache-2.0
// Invalid models: sizes, checkpoints and kernels that do not fit together.
#include "tests/config/problem_case.hpp"

namespace strata::test {
namespace {

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
             {"t.yaml:1:32: model.kv_heads: has an effect only with model.name: llama or qwen; remove it, or "
              "change model.name"}},
        Case{"text_of_a_model_of_images",
             "model: {name: resnet18}\ndata: {source: text, path: /proc/self/exe}\n",
             {"t.yaml:2:16: data.source: expected synthetic or images with model.name: resnet18, which takes "
              "images"}},
        Case{"attention_of_a_model_of_images",
             "model: {name: resnet50}\nattention: sdpa\n",
             {"t.yaml:2:12: attention: has no effect with model.name: resnet50, which has no attention; "
              "remove it"}},
        Case{"mlp_of_a_model_of_images",
             "model: {name: resnet18}\ncheckpointing: {select: mlp}\n",
             {"t.yaml:2:16: checkpointing: expected none, block or every with model.name: resnet18, because "
              "its blocks have no attention and no mlp"}},
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
             {"t.yaml:1:1: model.vocab: is required with model.name: torchscript, because tokens are drawn "
              "from it"}},
        Case{"what_a_script_decides_itself",
             "model: {name: torchscript, file: /proc/self/exe, task: image_class, init: hash}\nattention: "
             "sdpa\n"
             "checkpointing: block\n",
             {"t.yaml:1:75: model.init: hash fills only built-in models; remove it, or choose another "
              "model.name than torchscript",
              "t.yaml:2:12: attention: with model.name: torchscript the file defines the attention; remove "
              "this key",
              "t.yaml:3:16: checkpointing: needs the blocks of a built-in model, but model.name is "
              "torchscript; remove it, or use checkpointing inside the file"}},
        Case{"only_size_of_distilbert", "model: {name: distilbert}\n", {}},
        Case{"bias_of_llama",
             "model: {name: llama, size: 9m, bias: false}\n",
             {"t.yaml:1:38: model.bias: has an effect only with model.name: gpt2; remove it, or change "
              "model.name"}}),
    [](const auto& info) { return info.param.name; });

constexpr const char* kCheckpointing =
    "none, block, {every: <blocks>} or {select: attention or mlp}, optionally with reentrant: true or "
    "offload: true";

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
             {"t.yaml:2:35: checkpointing.select: cannot be combined with every; remove one of them"}},
        Case{"no_block",
             with("checkpointing: {every: 0}"),
             {"t.yaml:2:24: checkpointing.every: expected an integer from 1 to 10000, found '0'"}},
        Case{"unknown_part",
             with("checkpointing: {select: norm}"),
             {"t.yaml:2:25: checkpointing.select: expected attention or mlp, found 'norm'"}},
        Case{"not_reentrant",
             with("checkpointing: {every: 1, reentrant: maybe}"),
             {"t.yaml:2:38: checkpointing.reentrant: expected true or false, found 'maybe'"}},
        Case{"offloaded", with("checkpointing: {every: 2, offload: true}"), {}},
        Case{"not_offloaded",
             with("checkpointing: {every: 1, offload: 3}"),
             {"t.yaml:2:36: checkpointing.offload: expected true or false, found '3'"}},
        Case{"offloaded_reentrant",
             with("checkpointing: {every: 1, reentrant: true, offload: true}"),
             {"t.yaml:2:53: checkpointing.offload: cannot be combined with reentrant: true, because autograd "
              "holds its inputs; remove one of them"}},
        Case{"unknown_key",
             with("checkpointing: {evry: 1}"),
             {"t.yaml:2:17: checkpointing.evry: unknown key; did you mean 'every'?; expected every, select, "
              "reentrant, offload"}},
        Case{"without_autograd",
             with("checkpointing: block\nmode: forward"),
             {"t.yaml:2:16: checkpointing: has an effect only if autograd records; remove it, or choose "
              "mode: train or forward_grad"}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Kernels, OneFile,
    testing::Values(
        Case{"flash_on_the_cpu", with("attention: sdpa_flash"), {}},
        Case{"flash_with_dropout",
             "model: {name: gpt2, size: small, dropout: 0.1}\nattention: sdpa_flash\n",
             {"t.yaml:2:12: attention: sdpa_flash does not support dropout on the CPU, but model.dropout is "
              "not 0; choose sdpa_math, or another device"}},
        Case{"flash_of_16_bits", kOnH100 + with("attention: sdpa_flash\nprecision: bf16"), {}},
        Case{"flash_of_32_bits",
             kOnH100 + with("attention: sdpa_flash"),
             {"t.yaml:3:12: attention: sdpa_flash computes in 16 bits on CUDA, but precision is fp32; choose "
              "sdpa_efficient or sdpa_math, or precision: bf16_autocast"}},
        Case{"efficient_on_the_cpu",
             with("attention: sdpa_efficient"),
             {"t.yaml:2:12: attention: sdpa_efficient is a CUDA kernel; choose sdpa_flash or sdpa_math on "
              "the CPU, or another device"}},
        Case{"efficient_of_64_bits",
             kOnH100 + with("attention: sdpa_efficient\nprecision: fp64"),
             {"t.yaml:3:12: attention: sdpa_efficient does not support fp64; choose sdpa_math, or another "
              "precision"}},
        Case{"efficient_of_shared_keys",
             kOnH100 + "model: {name: qwen, size: 0.5b}\nattention: sdpa_efficient\n",
             {"t.yaml:3:12: attention: sdpa_efficient does not support heads that share keys, but "
              "model.kv_heads is 2 for 14 heads; choose sdpa_math or sdpa, or as many kv_heads as heads"}},
        Case{"tf32_on_the_cpu",
             with("precision: tf32"),
             {"t.yaml:2:12: precision: tf32 exists only on CUDA devices; choose fp32 on the CPU, or another "
              "device"}},
        Case{"tf32_on_cuda", kOnH100 + with("precision: tf32"), {}},
        Case{"cache_without_casts",
             with("autocast_cache: false"),
             {"t.yaml:2:17: autocast_cache: has an effect only with precision: bf16_autocast or "
              "fp16_autocast; remove it, or change precision"}},
        Case{"scaler_without_fp16",
             with("grad_scaler: {init_scale: 8}\nprecision: bf16_autocast"),
             {"t.yaml:2:27: grad_scaler.init_scale: has an effect only with precision: fp16_autocast; remove "
              "it, or change precision"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace strata::test

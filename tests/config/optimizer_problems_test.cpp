// SPDX-License-Identifier: Apache-2.0
// Invalid optimizer settings, and settings that conflict with one step per layer.
#include "tests/config/problem_case.hpp"

namespace strata::test {
namespace {

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
        Case{"foreach_of_lion",
             with("optimizer: {name: lion, impl: foreach}"),
             {"t.yaml:2:31: optimizer.impl: lion supports only loop; choose loop, or optimizer.name: adamw, "
              "adam or sgd"}},
        Case{"fused_of_galore",
             with("optimizer: {name: galore_adamw, impl: fused}"),
             {"t.yaml:2:39: optimizer.impl: galore_adamw supports only loop; choose loop, or optimizer.name: "
              "adamw, adam or sgd"}},
        Case{"rank_above_all_sides",
             with("optimizer: {name: galore_adamw, rank: 769}"),
             {"t.yaml:2:39: optimizer.rank: expected at most 768, the smaller of d_model and d_ff, found "
              "769; no projected gradient has a larger rank"}},
        Case{"default_rank_above_all_sides",
             "model: {size: custom, layers: 1, d_model: 64, d_ff: 32, heads: 2, vocab: 300}\n"
             "optimizer: {name: galore_adamw}\n",
             {"t.yaml:2:1: optimizer.rank: expected at most 32, the smaller of d_model and d_ff, found 128; "
              "no projected gradient has a larger rank"}},
        Case{"no_rank",
             with("optimizer: {name: galore_adamw, rank: 0}"),
             {"t.yaml:2:39: optimizer.rank: expected an integer from 1 to 1000000, found '0'"}},
        Case{"rank_of_adamw",
             with("optimizer: {rank: 8}"),
             {"t.yaml:2:19: optimizer.rank: has an effect only with optimizer.name: galore_adamw; remove it, "
              "or change optimizer.name"}},
        Case{"rank_fraction_of_galore",
             with("optimizer: {name: galore_adamw, rank_fraction: 0.1}"),
             {"t.yaml:2:48: optimizer.rank_fraction: has an effect only with optimizer.name: rsvd_adam; "
              "remove it, or change optimizer.name"}},
        Case{"gap_of_muon",
             with("optimizer: {name: muon, update_proj_gap: 10}"),
             {"t.yaml:2:42: optimizer.update_proj_gap: has an effect only with optimizer.name: galore_adamw "
              "or rsvd_adam; remove it, or change optimizer.name"}},
        Case{"epsilon_of_adafactor",
             with("optimizer: {name: adafactor, epsilon: 1e-8}"),
             {"t.yaml:2:39: optimizer.epsilon: has an effect only with optimizer.name: adamw, adam, muon, "
              "adam8bit, galore_adamw or rsvd_adam; remove it, or change optimizer.name"}},
        Case{"final_share_of_a_constant",
             with("optimizer: {lr_final_share: 0.1}"),
             {"t.yaml:2:29: optimizer.lr_final_share: has an effect only with optimizer.lr_schedule: linear "
              "or cosine; remove it, or change optimizer.lr_schedule"}},
        Case{"final_share_above_one",
             with("optimizer: {lr_schedule: linear, lr_final_share: 1.1}"),
             {"t.yaml:2:50: optimizer.lr_final_share: expected a number from 0 to 1, found '1.1'"}},
        Case{"per_layer", with("optimizer: {name: galore_adamw, per_layer: true}"), {}},
        Case{"per_layer_accumulated",
             with("optimizer: {per_layer: true}\naccumulation: 2"),
             {"t.yaml:2:24: optimizer.per_layer: steps in every backward, so nothing can be accumulated; "
              "remove it, or choose accumulation: 1"}},
        Case{"per_layer_clipped",
             with("optimizer: {per_layer: true, clip_norm: 1}"),
             {"t.yaml:2:24: optimizer.per_layer: frees gradients before their total norm is known; remove "
              "it, or choose optimizer.clip_norm: 0"}},
        Case{"per_layer_scaled",
             with("optimizer: {per_layer: true}\nprecision: fp16_autocast"),
             {"t.yaml:2:24: optimizer.per_layer: steps before it is known whether a scaled gradient "
              "overflowed; remove it, or choose another precision than fp16_autocast"}},
        Case{"per_layer_fused",
             with("optimizer: {per_layer: true, impl: fused}"),
             {"t.yaml:2:24: optimizer.per_layer: steps one parameter at a time, but foreach and fused step "
              "many together; remove it, or choose optimizer.impl: loop"}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace strata::test

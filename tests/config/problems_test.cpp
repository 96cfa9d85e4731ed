// SPDX-License-Identifier: Apache-2.0
// Every way in which a configuration can be invalid: the message and its position. Models, devices and
// optimizers have their own files.
#include <gtest/gtest.h>

#include <string>

#include "tests/config/problem_case.hpp"
#include "tests/config/problems_of.hpp"

namespace strata::test {
namespace {

TEST_P(OneFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(problems_of(GetParam().yaml), GetParam().expected);
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
             {"t.yaml:2:11: backend.device: unknown key; did you mean 'device', at the top level?"}},
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
              "checkpointing, accumulation, attention, resume, seed, device, plugins, strict, world_size, "
              "model, "
              "adapter, data, "
              "optimizer, grad_scaler, zero_grad, schedule, save, backend, ddp, trace, cupti, store",
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
        Case{"store_without_room",
             with("store: {max_mb: 7}"),
             {"t.yaml:2:17: store.max_mb: expected 0 (no limit) or at least 8 (MiB), found 7"}},
        Case{"name_with_slash",
             with("name: ../x"),
             {"t.yaml:2:7: name: expected a name of letters, digits, '.', '_' and '-' that does not begin "
              "with '.' or '-', found '../x'"}},
        Case{
            "long_value",
            with("seed: " + std::string(500, 'x')),
            {"t.yaml:2:7: seed: expected an integer of at least 0, found '" + std::string(40, 'x') + "...'"}},
        Case{"control_characters",
             with("seed: \"a\\e[31mb\\n\""),
             {"t.yaml:2:7: seed: expected an integer of at least 0, found 'a [31mb ' in quotes"}}),
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
             {"t.yaml:1:29: model.heads: expected an even number of elements per head (RoPE rotates pairs), "
              "found 768 / 256 = 3"}},
        Case{"custom_needs_all",
             "model: {size: custom, layers: 1}\n",
             {"t.yaml:1:15: model.d_model: is required with model.size: custom",
              "t.yaml:1:15: model.d_ff: is required with model.size: custom",
              "t.yaml:1:15: model.heads: is required with model.size: custom",
              "t.yaml:1:15: model.vocab: is required with model.size: custom"}},
        Case{"momentum_of_sgd",
             with("optimizer: {momentum: 0.9}"),
             {"t.yaml:2:23: optimizer.momentum: has an effect only with optimizer.name: sgd or muon; remove "
              "it, or change optimizer.name"}},
        Case{"beta_of_adamw",
             with("optimizer: {name: sgd, beta1: 0.9}"),
             {"t.yaml:2:31: optimizer.beta1: has an effect only with optimizer.name: adamw, adam, lion, "
              "muon, adam8bit, galore_adamw or rsvd_adam; remove it, or change optimizer.name"}},
        Case{"path_of_text",
             with("data: {path: /proc/self/exe}"),
             {"t.yaml:2:14: data.path: has an effect only with data.source: text, images or batch; remove "
              "it, or change data.source"}},
        Case{"too_little_text",
             with("data: {source: text, path: /proc/self/exe, max_bytes: 512}"),
             {"t.yaml:2:28: data.path: expected at least 513 tokens, one sequence of model.context and its "
              "target, "
              "found 512 in 1 file(s); name more text, raise data.max_bytes, or lower model.context"}},
        Case{"pinned_memory_on_the_cpu",
             with("data: {pin_memory: true}"),
             {"t.yaml:2:20: data.pin_memory: has an effect only if a CUDA device copies from the host, but "
              "device is cpu; remove it, or choose another device"}},
        Case{"pinned_memory_on_cuda", kOnH100 + with("data: {pin_memory: true}"), {}},
        Case{"nothing_ahead",
             with("data: {workers: 2, prefetch: 0}"),
             {"t.yaml:2:30: data.prefetch: expected an integer from 1 to 10000, found '0'"}},
        Case{"range_beside_its_parts",
             with("schedule: {steps: 3-8, active: 2}"),
             {"t.yaml:2:32: schedule.active: cannot be combined with schedule.steps, which sets the same; "
              "remove one of them"}},
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
      "10b, custom, found 'tiny'",
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
        OverrideCase{
            "unknown_section",
            "optimiser.lr=1",
            {"command line: optimiser.lr=1: optimiser.lr: unknown key; did you mean 'optimizer.lr'?"}},
        OverrideCase{"unknown_section_and_key",
                     "optimiser.x=1",
                     {"command line: optimiser.x=1: optimiser.x: unknown key; did you mean 'optimizer'?"}},
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

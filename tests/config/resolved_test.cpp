// SPDX-License-Identifier: Apache-2.0
// A run's config.yaml contains every setting in force, and loading it gives the same file again.
#include "host/config/schema/resolved.hpp"

#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include <filesystem>
#include <string>
#include <vector>

#include "host/config/loading/load.hpp"
#include "host/config/schema/schema.hpp"
#include "tests/temporary_folder.hpp"

namespace strata::test {
namespace {

std::string resolved(const std::string& text) {
  return config::parse_config(text, "/runs/t.yaml").resolved_yaml;
}

class RoundTrip : public testing::TestWithParam<std::string> {};

TEST_P(RoundTrip, LoadsAgainToTheSame) {
  const std::string once = resolved(GetParam());
  EXPECT_EQ(config::parse_config(once, "/elsewhere/config.yaml").resolved_yaml, once);
}

INSTANTIATE_TEST_SUITE_P(
    Configurations, RoundTrip,
    testing::Values(
        "model: {size: small}\n", "model: {size: 2.7b, layers: 1}\nname: no\n",
        "model: {size: custom, layers: 1, d_model: 8, d_ff: 8, heads: 2, vocab: 300, norm_epsilon: 1e-300}\n",
        "model: {size: small}\noptimizer: {name: sgd, momentum: 0.9, lr: 0.1}\n",
        "model: {size: small}\noptimizer: {name: galore_adamw, rank: 8, proj_type: full, keep_factor: false, "
        "per_layer: true, lr_schedule: cosine, lr_final_share: 0.1, init_state: dummy}\n",
        "model: {size: small}\noptimizer: {lr: 0.30000000000000004, beta1: 1e-7}\nmode: forward\n",
        "model: {size: small}\ndata: {source: text, path: ['/proc/self/ex[e]', '/proc/self/exe'], max_bytes: "
        "1536}\n",
        "model: {size: small, context: 16}\ndata: {source: text, path: /proc/self/exe, order: sequential, "
        "workers: 3, prefetch: 9}\nschedule: {epochs: 2}\n",
        "model: {name: resnet50, classes: 10}\nmode: forward_grad\n", "model: {name: distilbert}\n",
        "model: {name: gpt2, size: xl, dropout: 0.1, activation: gelu}\ncheckpointing: block\n",
        "model: {name: qwen, size: 0.5b}\ncheckpointing: {select: attention, reentrant: true}\n",
        "model: {name: llama, size: 1b, tied: true}\nprecision: fp16_autocast\nautocast_cache: false\n",
        "model: {name: llama, size: 9m}\nadapter: {name: lora, targets: all-linear, base: nf4, "
        "double_quantization: true}\n",
        "model: {name: gpt2, size: small}\nadapter: {name: lora, rank: 4, alpha: 0.5, dropout: 0.1, targets: "
        "[c_fc, c_attn]}\nprecision: bf16\n",
        "model: {size: small}\nschedule: {steps: 3-8}\n",
        "model: {size: small}\nsave: {every: 10, at_end: true, keep: 3}\nresume: /proc/self/exe\n",
        "model: {size: small}\ndevice: cuda:1\n",
        "model: {size: small}\ndevice: {dry: " + std::filesystem::absolute(STRATA_DEVICES).string() +
            "/h100-80gb.yaml, count: 8, memory: 24GiB, clock: modelled, cudnn_workspaces: off, "
            "cudnn_workspace: 1.5MiB, "
            "cusolver_workspace: 3, "
            "nccl_memory: 600MiB}\n",
        "model: {size: small}\nplugins: [a, b: {x: 1e-3, y: 'no', z: '# {', w: '', v: ' '}, ./c.so]\n",
        "model: {size: small}\nstore: {on_full: drop, spool_bytes: 65537, max_mb: 64}\nstrict: true\nseed: "
        "9223372036854775807\n"));

TEST(Resolved, SaysEveryKeyThatApplies) {
  const config::RunConfig config = config::parse_config("model: {size: small}\n", "/runs/t.yaml");
  EXPECT_TRUE(config::applies(*config::find_key("model.rope_theta"), config));
  EXPECT_FALSE(config::applies(*config::find_key("model.bias"), config));
  const YAML::Node document = YAML::Load(config.resolved_yaml);
  for (const config::Key& key : config::keys()) {
    const YAML::Node section = key.section().empty() ? document : document[std::string(key.section())];
    const bool said = section.IsDefined() && section[std::string(key.name())].IsDefined();
    const bool range = std::holds_alternative<config::RangeType>(key.type) ||
                       std::holds_alternative<config::FileType>(key.type);
    const bool applies = !key.only_when || config::applies(key, config);
    const bool is_unset = key.path == "resume";
    EXPECT_EQ(said, !range && !is_unset && applies) << key.path;
  }
}

TEST(Resolved, IsReadable) {
  const std::string yaml = resolved("model: {size: small}\noptimizer: {lr: 3e-4}\nplugins: [a: {x: 1}]\n");
  EXPECT_NE(yaml.find("optimizer:\n  name: adamw\n  impl: loop\n  lr: 0.0003\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("  epsilon: 1.0e-08\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("plugins:\n  - a:\n      x: 1\n"), std::string::npos) << yaml;
  EXPECT_NE(yaml.find("  spool_bytes: 4MiB\n"), std::string::npos) << yaml;
}

}  // namespace
}  // namespace strata::test

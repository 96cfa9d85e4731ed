// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/switches.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "host/config/loading/load.hpp"

namespace strata::what_if {
namespace {

config::RunConfig configured(const std::string& yaml) {
  return config::parse_config("model: {name: llama, size: 60m, context: 64}\ndevice: cuda\n" + yaml,
                              "t.yaml");
}

std::set<std::string> overrides(const std::vector<Change>& switches) {
  std::set<std::string> all;
  for (const Change& each : switches) all.insert(each.overrides.begin(), each.overrides.end());
  return all;
}

TEST(Switches, OfferWhatIsNotInForceYet) {
  const auto offered = overrides(switches_of(configured("data: {batch_size: 8}\n")));
  for (const char* expected : {"optimizer.impl=fused", "optimizer.per_layer=true", "checkpointing=block",
                               "data.batch_size=4", "accumulation=2", "data.batch_size=1", "accumulation=8",
                               "attention=sdpa", "precision=bf16", "optimizer={name: galore_adamw}"}) {
    EXPECT_TRUE(offered.contains(expected)) << expected;
  }
  EXPECT_FALSE(offered.contains("optimizer.impl=loop"));
  EXPECT_FALSE(offered.contains("autocast_cache=false"));

  const auto fewer = overrides(
      switches_of(configured("data: {batch_size: 1}\noptimizer: {per_layer: true}\ncheckpointing: block\n"
                             "attention: sdpa\nprecision: bf16_autocast\n")));
  for (const char* unexpected : {"optimizer.per_layer=true", "optimizer.impl=loop", "checkpointing=block",
                                 "data.batch_size=1", "attention=sdpa", "precision=bf16_autocast"}) {
    EXPECT_FALSE(fewer.contains(unexpected)) << unexpected;
  }
  EXPECT_TRUE(fewer.contains("autocast_cache=false"));
  EXPECT_TRUE(fewer.contains("precision=bf16"));
}

TEST(Switches, OfAnAdapterOfferABaseInFewerBits) {
  const auto offered = [](const std::string& rest) {
    const config::RunConfig config =
        config::parse_config("model: {name: llama, size: 9m}\n" + rest, "t.yaml");
    return overrides(switches_of(config));
  };
  const auto plain = offered("adapter: {name: lora}\n");
  EXPECT_TRUE(plain.contains("adapter.base=nf4"));
  EXPECT_TRUE(plain.contains("adapter.base=bf16"));
  EXPECT_FALSE(plain.contains("optimizer={name: galore_adamw}"));
  const auto quantized = offered("adapter: {name: lora, base: nf4}\n");
  EXPECT_FALSE(quantized.contains("adapter.base=nf4") || quantized.contains("adapter.base=bf16"));
  EXPECT_TRUE(quantized.contains("adapter.double_quantization=true"));
  EXPECT_FALSE(offered("").contains("adapter.base=nf4"));
}

TEST(Switches, KeepASamplesShareOfAStep) {
  for (const Change& each : switches_of(configured("data: {batch_size: 6}\naccumulation: 3\n"))) {
    if (each.group != "micro-batch") continue;
    const auto batch = std::stoll(each.overrides[0].substr(each.overrides[0].find('=') + 1));
    const auto micro_batches = std::stoll(each.overrides[1].substr(each.overrides[1].find('=') + 1));
    EXPECT_EQ(batch * micro_batches, 18) << each.name;
  }
}

TEST(Switches, OfBatchNormalizationAnotherMicroBatchIsAnotherTraining) {
  const config::RunConfig resnet =
      config::parse_config("model: {name: resnet18}\ndata: {batch_size: 8}\ndevice: cuda\n", "t.yaml");
  int seen = 0;
  for (const Change& each : switches_of(resnet)) {
    if (each.group != "micro-batch") continue;
    EXPECT_EQ(each.effect, Effect::kOtherMathematics);
    ++seen;
  }
  EXPECT_EQ(seen, 2);
}

TEST(Switches, WithoutTrainingThereIsNoOptimizerToChange) {
  const auto offered = overrides(switches_of(configured("mode: forward\n")));
  EXPECT_FALSE(offered.contains("optimizer.impl=fused"));
  EXPECT_FALSE(offered.contains("checkpointing=block"));
  EXPECT_TRUE(offered.contains("attention=sdpa"));
}

// The loader accepts each change alone, except those that need other parts of the configuration.
TEST(Switches, AreKeysOfTheConfiguration) {
  const std::string yaml =
      "model: {name: llama, size: 60m, context: 64}\ndevice: cuda\ndata: {batch_size: 8}\n";
  for (const Change& each : switches_of(config::parse_config(yaml, "t.yaml")))
    EXPECT_NO_THROW(config::parse_config(yaml, "t.yaml", each.overrides)) << each.name;
}

}  // namespace
}  // namespace strata::what_if

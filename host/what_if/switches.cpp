// SPDX-License-Identifier: Apache-2.0
#include "host/what_if/switches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "host/config/optimizer_defaults.hpp"

namespace strata::what_if {
namespace {

using config::OptimizerImpl;
using config::OptimizerName;
using config::Precision;
using config::RunConfig;

using Switches = std::vector<Change>;

// A step of more micro-batches takes a trial too long, and saves little more.
constexpr std::int64_t kMostParts = 32;

void add_optimizer(const RunConfig& config, Switches& to) {
  const config::OptimizerConfig& optimizer = config.optimizer;
  const auto form = [&](OptimizerImpl impl, std::string name, const char* word, std::string cost) {
    if (optimizer.impl == impl || !config::has_multi_tensor_form(optimizer.name)) return;
    to.push_back({.name = std::move(name),
                  .overrides = {fmt::format("optimizer.impl={}", word)},
                  .cost = std::move(cost),
                  .group = "optimizer form"});
  };
  form(OptimizerImpl::kFused, "a fused optimizer", "fused", "fewer kernels");
  form(OptimizerImpl::kLoop, "an optimizer loop", "loop", "many kernels");
  form(OptimizerImpl::kForeach, "a foreach optimizer", "foreach", "large temporaries");
  if (!optimizer.per_layer) {
    std::vector<std::string> overrides = {"optimizer.per_layer=true"};
    if (optimizer.impl != OptimizerImpl::kLoop) overrides.emplace_back("optimizer.impl=loop");
    to.push_back({.name = "step within backward",
                  .overrides = std::move(overrides),
                  .cost = "no clipping",
                  .group = "optimizer form"});
  }
}

void add_checkpointing(const RunConfig& config, Switches& to) {
  if (config.checkpointing.part != config::CheckpointedPart::kNone) return;
  const auto checkpointing = [&](std::string name, const char* value, std::string cost) {
    to.push_back({.name = std::move(name),
                  .overrides = {fmt::format("checkpointing={}", value)},
                  .cost = std::move(cost),
                  .group = "checkpointing"});
  };
  checkpointing("checkpoint attention", "{select: attention}", "attention twice");
  checkpointing("checkpoint each 2nd block", "{every: 2}", "half recomputed");
  checkpointing("checkpoint every block", "block", "forward twice");
  checkpointing("every block, offloaded", "{every: 1, offload: true}", "recompute, copies");
}

void add_micro_batches(const RunConfig& config, Switches& to) {
  const std::int64_t batch = config.data.batch_size;
  // Batch normalization sees one micro-batch at a time.
  const Effect effect =
      config::is_resnet(config.model.name) ? Effect::kOtherMathematics : Effect::kSameMathematics;
  const auto split = [&](std::int64_t parts) {
    to.push_back({.name = fmt::format("micro-batches of {}", batch / parts),
                  .overrides = {fmt::format("data.batch_size={}", batch / parts),
                                fmt::format("accumulation={}", config.accumulation * parts)},
                  .cost = "more kernels",
                  .effect = effect,
                  .group = "micro-batch"});
  };
  if (batch % 2 == 0) split(2);
  for (std::int64_t parts = std::min(batch, kMostParts); parts > 2; --parts) {
    if (batch % parts == 0) return split(parts);
  }
}

void add_small_ones(const RunConfig& config, Switches& to) {
  if (config.zero_grad.at == config::ZeroGradAt::kBeforeBackward) {
    to.push_back({.name = "gradients freed before forward",
                  .overrides = {"zero_grad.at=step_start"},
                  .cost = "none",
                  .group = "zero_grad.at"});
  }
  if (!config.zero_grad.set_to_none) {
    to.push_back({.name = "gradients set to none",
                  .overrides = {"zero_grad.set_to_none=true"},
                  .cost = "none",
                  .group = "zero_grad"});
  }
  if (config::is_autocast(config.precision) && config.autocast_cache) {
    to.push_back({.name = "no cache of casts",
                  .overrides = {"autocast_cache=false"},
                  .cost = "more casts",
                  .group = "autocast cache"});
  }
  if (config.attention == config::Attention::kNaive) {
    to.push_back({.name = "fused attention",
                  .overrides = {"attention=sdpa"},
                  .cost = "fewer kernels",
                  .group = "attention"});
  }
  if (config.world_size > 1 && !config.ddp.gradient_as_bucket_view) {
    to.push_back({.name = "gradients as bucket views",
                  .overrides = {"ddp.gradient_as_bucket_view=true"},
                  .cost = "none",
                  .group = "ddp"});
  }
  to.push_back({.name = "expandable segments",
                .overrides = {},
                .allocator_settings = "expandable_segments:True",
                .cost = "none known",
                .group = "allocator"});
}

void add_other_mathematics(const RunConfig& config, Switches& to) {
  const auto other = [&](std::string name, std::vector<std::string> settings, std::string cost,
                         std::string group) {
    to.push_back({.name = std::move(name),
                  .overrides = std::move(settings),
                  .cost = std::move(cost),
                  .effect = Effect::kOtherMathematics,
                  .group = std::move(group)});
  };
  const bool is_fp32 = config.precision == Precision::kFp32 || config.precision == Precision::kTf32;
  const config::AdapterConfig& adapter = config.adapter;
  const bool has_plain_base = adapter.is_used() && adapter.base != config::BaseStorage::kNf4;
  if (is_fp32) other("bf16 autocast", {"precision=bf16_autocast"}, "8-bit precision", "precision");
  if (is_fp32 || config::is_autocast(config.precision)) {
    std::vector<std::string> settings = {"precision=bf16"};
    if (has_plain_base) settings.emplace_back("adapter.base=bf16");
    other("all in bf16", std::move(settings), "8-bit precision", "precision");
  }
  if (has_plain_base && config.world_size == 1 && config.precision != Precision::kFp16Autocast)
    other("base in 4 bits", {"adapter.base=nf4"}, "unpacking untimed", "base");
  if (adapter.is_used() && !has_plain_base && !adapter.double_quantization)
    other("scales in 8 bits", {"adapter.double_quantization=true"}, "coarser scales", "base");
  if (config.optimizer.name != OptimizerName::kAdamW && config.optimizer.name != OptimizerName::kAdam) return;
  other("8-bit Adam", {"optimizer={name: adam8bit}"}, "coarser state", "optimizer");
  if (config.model.name == config::Architecture::kLlama && !adapter.is_used())
    other("GaLore", {"optimizer={name: galore_adamw}"}, "an SVD at times", "optimizer");
}

}  // namespace

Switches switches_of(const RunConfig& config) {
  Switches switches;
  if (config.mode == config::Mode::kTrain) {
    add_optimizer(config, switches);
    add_checkpointing(config, switches);
    add_micro_batches(config, switches);
  }
  add_small_ones(config, switches);
  add_other_mathematics(config, switches);
  return switches;
}

}  // namespace strata::what_if

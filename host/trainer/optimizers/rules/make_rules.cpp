// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/rules/make_rules.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>

#include "host/trainer/optimizers/rules/adafactor_rule.hpp"
#include "host/trainer/optimizers/rules/adam8bit_rule.hpp"
#include "host/trainer/optimizers/rules/adam_rule.hpp"
#include "host/trainer/optimizers/rules/galore_rule.hpp"
#include "host/trainer/optimizers/rules/lion_rule.hpp"
#include "host/trainer/optimizers/rules/muon_rule.hpp"
#include "host/trainer/optimizers/rules/rsvd_rule.hpp"

namespace strata::trainer {

bool is_block_projection(const NamedParameter& parameter) {
  // llama, gpt2 and qwen have the first two, which are galore_torch's; transformer the first and the last,
  // distilbert the last two.
  static constexpr std::array<std::string_view, 4> kLayers{"attn", "mlp", "attention", "ffn"};
  return parameter.tensor.dim() == 2 && std::ranges::any_of(kLayers, [&](std::string_view layer) {
           return parameter.name.find(layer) != std::string::npos;
         });
}

namespace {

using Rule = std::unique_ptr<UpdateRule>;

Rule muon_rule(const config::OptimizerConfig& config, const NamedParameter& parameter) {
  if (is_block_projection(parameter)) return std::make_unique<MuonRule>(config);
  return std::make_unique<AdamRule>(config, WeightDecay::kDecoupled);
}

Rule rsvd_rule(const config::OptimizerConfig& config, const NamedParameter& parameter) {
  if (parameter.tensor.dim() == 2) return std::make_unique<RsvdRule>(config);
  return std::make_unique<AdamRule>(config, WeightDecay::kInGradient);
}

Rule rule_for(const config::OptimizerConfig& config, const NamedParameter& parameter,
              const std::optional<QuantizationMaps>& maps) {
  switch (config.name) {
    case config::OptimizerName::kLion:
      return std::make_unique<LionRule>(config);
    case config::OptimizerName::kAdafactor:
      return std::make_unique<AdafactorRule>(config);
    case config::OptimizerName::kMuon:
      return muon_rule(config, parameter);
    case config::OptimizerName::kAdam8bit:
      return std::make_unique<Adam8bitRule>(config, parameter.tensor.numel(), maps.value());
    case config::OptimizerName::kGaloreAdamW:
      return std::make_unique<GaloreRule>(config, is_block_projection(parameter));
    case config::OptimizerName::kRsvdAdam:
      return rsvd_rule(config, parameter);
    case config::OptimizerName::kAdamW:
    case config::OptimizerName::kAdam:
    case config::OptimizerName::kSgd:
      break;
  }
  throw std::logic_error("optimizer.name: has no rule for one parameter");
}

}  // namespace

std::vector<std::unique_ptr<UpdateRule>> make_rules(const config::OptimizerConfig& config,
                                                    const std::vector<NamedParameter>& parameters) {
  std::optional<QuantizationMaps> maps;
  if (config.name == config::OptimizerName::kAdam8bit && !parameters.empty())
    maps = QuantizationMaps::on(parameters.front().tensor.device());
  std::vector<std::unique_ptr<UpdateRule>> rules;
  rules.reserve(parameters.size());
  for (const NamedParameter& parameter : parameters) rules.push_back(rule_for(config, parameter, maps));
  return rules;
}

}  // namespace strata::trainer

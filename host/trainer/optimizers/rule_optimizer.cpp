// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/implementations.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "host/trainer/optimizers/rules/rules.hpp"

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

Rule muon_or_adam(const config::OptimizerConfig& config, const NamedParameter& parameter) {
  if (is_block_projection(parameter)) return make_muon_rule(config);
  return make_adam_rule(config, WeightDecay::kDecoupled);
}

Rule rsvd_or_adam(const config::OptimizerConfig& config, const NamedParameter& parameter) {
  if (parameter.tensor.dim() == 2) return make_rsvd_rule(config);
  return make_adam_rule(config, WeightDecay::kInGradient);
}

Rule rule_for(const config::OptimizerConfig& config, const NamedParameter& parameter,
              const std::optional<QuantizationMaps>& maps) {
  switch (config.name) {
    case config::OptimizerName::kLion:
      return make_lion_rule(config);
    case config::OptimizerName::kAdafactor:
      return make_adafactor_rule(config);
    case config::OptimizerName::kMuon:
      return muon_or_adam(config, parameter);
    case config::OptimizerName::kAdam8bit:
      return make_adam8bit_rule(config, parameter.tensor.numel(), maps.value());
    case config::OptimizerName::kGaloreAdamW:
      return make_galore_rule(config, is_block_projection(parameter));
    case config::OptimizerName::kRsvdAdam:
      return rsvd_or_adam(config, parameter);
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

// An optimizer that is a rule for each parameter, one after the other.
class RuleOptimizer : public Optimizer {
 public:
  RuleOptimizer(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters)
      : Optimizer(std::move(parameters)),
        learning_rate_(config.lr),
        rules_(make_rules(config, this->parameters())) {}

  void set_learning_rate(double learning_rate) override { learning_rate_ = learning_rate; }

  void step() override {
    const at::NoGradGuard no_gradients;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const at::Tensor& parameter = parameters()[i].tensor;
      if (parameter.grad().defined()) rules_[i]->step(parameter, parameter.grad(), learning_rate_);
    }
  }

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override {
    rules_[parameter]->visit(visitor);
  }

  double learning_rate_;
  std::vector<std::unique_ptr<UpdateRule>> rules_;  // of each parameter
};

std::unique_ptr<Optimizer> make_rule_optimizer(const config::OptimizerConfig& config,
                                               std::vector<NamedParameter> parameters) {
  return std::make_unique<RuleOptimizer>(config, std::move(parameters));
}

}  // namespace strata::trainer

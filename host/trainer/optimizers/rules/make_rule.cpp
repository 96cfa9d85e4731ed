#include "host/trainer/optimizers/rules/make_rule.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

#include "host/trainer/optimizers/rules/adafactor_rule.hpp"
#include "host/trainer/optimizers/rules/adam_rule.hpp"
#include "host/trainer/optimizers/rules/galore_rule.hpp"
#include "host/trainer/optimizers/rules/lion_rule.hpp"
#include "host/trainer/optimizers/rules/muon_rule.hpp"

namespace strata::trainer {

bool is_block_projection(const NamedParameter& parameter) {
  // llama, gpt2 and qwen have the first two, transformer the first and the last.
  static constexpr std::array<std::string_view, 3> kLayers{"attn", "mlp", "ffn"};
  return parameter.tensor.dim() == 2 && std::ranges::any_of(kLayers, [&](std::string_view layer) {
           return parameter.name.find(layer) != std::string::npos;
         });
}

std::unique_ptr<UpdateRule> make_rule(const config::OptimizerConfig& config,
                                      const NamedParameter& parameter) {
  switch (config.name) {
    case config::OptimizerName::kLion:
      return std::make_unique<LionRule>(config);
    case config::OptimizerName::kAdafactor:
      return std::make_unique<AdafactorRule>(config);
    case config::OptimizerName::kMuon:
      if (is_block_projection(parameter)) return std::make_unique<MuonRule>(config);
      return std::make_unique<AdamRule>(config, WeightDecay::kDecoupled);
    case config::OptimizerName::kGaloreAdamW:
      return std::make_unique<GaloreRule>(config, is_block_projection(parameter));
    case config::OptimizerName::kAdam8bit:
    case config::OptimizerName::kRsvdAdam:
    case config::OptimizerName::kAdamW:
    case config::OptimizerName::kAdam:
    case config::OptimizerName::kSgd:
      break;
  }
  throw std::logic_error("optimizer.name: has no rule for one parameter");
}

}  // namespace strata::trainer

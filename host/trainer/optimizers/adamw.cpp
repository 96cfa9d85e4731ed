#include "host/trainer/optimizers/adamw.hpp"

#include <torch/optim/adamw.h>

namespace strata::trainer {

namespace {

torch::optim::AdamWOptions adamw_options(const config::OptimizerConfig& config) {
  return torch::optim::AdamWOptions(config.lr)
      .betas({config.beta1, config.beta2})
      .eps(config.epsilon)
      .weight_decay(config.weight_decay);
}

}  // namespace

AdamW::AdamW(const config::OptimizerConfig& config, std::vector<at::Tensor> parameters)
    : LibtorchOptimizer(std::make_unique<torch::optim::AdamW>(std::move(parameters), adamw_options(config))) {
}

void AdamW::append_state(const at::Tensor& parameter, const torch::optim::OptimizerParamState& state,
                         std::vector<OptimizerState>& states) const {
  const auto& moments = static_cast<const torch::optim::AdamWParamState&>(state);
  states.push_back({"exp_avg", parameter, moments.exp_avg()});
  states.push_back({"exp_avg_sq", parameter, moments.exp_avg_sq()});
}

}  // namespace strata::trainer

#include "host/trainer/optimizers/sgd.hpp"

#include <torch/optim/sgd.h>

namespace strata::trainer {

namespace {

torch::optim::SGDOptions sgd_options(const config::OptimizerConfig& config) {
  return torch::optim::SGDOptions(config.lr).momentum(config.momentum).weight_decay(config.weight_decay);
}

}  // namespace

Sgd::Sgd(const config::OptimizerConfig& config, std::vector<at::Tensor> parameters)
    : LibtorchOptimizer(std::make_unique<torch::optim::SGD>(std::move(parameters), sgd_options(config))) {}

void Sgd::append_state(const at::Tensor& parameter, const torch::optim::OptimizerParamState& state,
                       std::vector<OptimizerState>& states) const {
  const auto& momentum = static_cast<const torch::optim::SGDParamState&>(state);
  states.push_back({"momentum_buffer", parameter, momentum.momentum_buffer()});
}

}  // namespace strata::trainer

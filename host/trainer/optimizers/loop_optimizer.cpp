#include "host/trainer/optimizers/loop_optimizer.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <stdexcept>
#include <utility>

namespace strata::trainer {
namespace {

using States = std::vector<std::pair<std::string_view, at::Tensor>>;

std::vector<at::Tensor> tensors_of(const std::vector<NamedParameter>& parameters) {
  std::vector<at::Tensor> tensors;
  tensors.reserve(parameters.size());
  for (const NamedParameter& parameter : parameters) tensors.push_back(parameter.tensor);
  return tensors;
}

// Adam's and AdamW's options and states have the same members and no common base.
template <typename Algorithm, typename Options, typename State>
std::unique_ptr<Optimizer> adam_like(const config::OptimizerConfig& config,
                                     std::vector<NamedParameter> parameters) {
  auto optimizer =
      std::make_unique<Algorithm>(tensors_of(parameters), Options(config.lr)
                                                              .betas({config.beta1, config.beta2})
                                                              .eps(config.epsilon)
                                                              .weight_decay(config.weight_decay));
  return std::make_unique<LoopOptimizer>(
      std::move(parameters), std::move(optimizer), [](const torch::optim::OptimizerParamState& state) {
        const auto& moments = static_cast<const State&>(state);
        return States{{"exp_avg", moments.exp_avg()}, {"exp_avg_sq", moments.exp_avg_sq()}};
      });
}

std::unique_ptr<Optimizer> sgd(const config::OptimizerConfig& config,
                               std::vector<NamedParameter> parameters) {
  auto optimizer = std::make_unique<torch::optim::SGD>(
      tensors_of(parameters),
      torch::optim::SGDOptions(config.lr).momentum(config.momentum).weight_decay(config.weight_decay));
  return std::make_unique<LoopOptimizer>(
      std::move(parameters), std::move(optimizer), [](const torch::optim::OptimizerParamState& state) {
        return States{
            {"momentum_buffer", static_cast<const torch::optim::SGDParamState&>(state).momentum_buffer()}};
      });
}

}  // namespace

LoopOptimizer::LoopOptimizer(std::vector<NamedParameter> parameters,
                             std::unique_ptr<torch::optim::Optimizer> optimizer, ReadState read_state)
    : Optimizer(std::move(parameters)), optimizer_(std::move(optimizer)), read_state_(read_state) {}

LoopOptimizer::~LoopOptimizer() {
  for (const NamedParameter& parameter : parameters())
    optimizer_->state().erase(parameter.tensor.unsafeGetTensorImpl());
}

void LoopOptimizer::set_learning_rate(double learning_rate) {
  for (torch::optim::OptimizerParamGroup& group : optimizer_->param_groups())
    group.options().set_lr(learning_rate);
}

std::vector<OptimizerState> LoopOptimizer::state() const {
  std::vector<OptimizerState> states;
  const auto& by_parameter = optimizer_->state();
  for (const NamedParameter& parameter : parameters()) {
    const auto found = by_parameter.find(parameter.tensor.unsafeGetTensorImpl());
    if (found == by_parameter.end()) continue;
    for (auto& [name, tensor] : read_state_(*found->second)) {
      if (tensor.defined()) states.push_back({name, parameter.tensor, std::move(tensor)});
    }
  }
  return states;
}

std::unique_ptr<Optimizer> make_loop_optimizer(const config::OptimizerConfig& config,
                                               std::vector<NamedParameter> parameters) {
  using namespace torch::optim;
  switch (config.name) {
    case config::OptimizerName::kAdamW:
      return adam_like<AdamW, AdamWOptions, AdamWParamState>(config, std::move(parameters));
    case config::OptimizerName::kAdam:
      return adam_like<Adam, AdamOptions, AdamParamState>(config, std::move(parameters));
    case config::OptimizerName::kSgd:
      return sgd(config, std::move(parameters));
    default:
      break;
  }
  throw std::logic_error("optimizer.name: the trainer does not know it, but the schema does");
}

}  // namespace strata::trainer

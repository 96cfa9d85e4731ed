// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/implementations.hpp"

#include <torch/optim/adam.h>
#include <torch/optim/adamw.h>
#include <torch/optim/sgd.h>

#include <stdexcept>
#include <utility>

namespace strata::trainer {

// LibTorch's own optimizers with our interface. They step parameters one by one, each with separate
// operations, like torch.optim with foreach=False.
class LoopOptimizer : public Optimizer {
 public:
  // Shows the state of LibTorch's optimizer for a parameter: null, before and after, if there is none.
  using VisitState = void (*)(std::unique_ptr<torch::optim::OptimizerParamState>& state,
                              StateVisitor& visitor);

  LoopOptimizer(std::vector<NamedParameter> parameters, std::unique_ptr<torch::optim::Optimizer> optimizer,
                VisitState visit_state)
      : Optimizer(std::move(parameters)), optimizer_(std::move(optimizer)), visit_state_(visit_state) {}

  // Frees the state parameter by parameter: LibTorch's own order is that of a hash of addresses, which no two
  // runs share.
  ~LoopOptimizer() override {
    for (const NamedParameter& parameter : parameters())
      optimizer_->state().erase(parameter.tensor.unsafeGetTensorImpl());
  }

  void set_learning_rate(double learning_rate) override {
    for (torch::optim::OptimizerParamGroup& group : optimizer_->param_groups())
      group.options().set_lr(learning_rate);
  }

  void step() override { optimizer_->step(); }

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override {
    auto& by_parameter = optimizer_->state();
    void* const key = parameters()[parameter].tensor.unsafeGetTensorImpl();
    if (const auto found = by_parameter.find(key); found != by_parameter.end()) {
      visit_state_(found->second, visitor);
      return;
    }
    std::unique_ptr<torch::optim::OptimizerParamState> state;
    visit_state_(state, visitor);
    if (state) by_parameter[key] = std::move(state);
  }

  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  VisitState visit_state_;
};

namespace {

using KeptState = std::unique_ptr<torch::optim::OptimizerParamState>;

template <typename State>
std::unique_ptr<State> taken_or_new(KeptState& kept) {
  if (!kept) return std::make_unique<State>();
  return std::unique_ptr<State>(static_cast<State*>(kept.release()));
}

template <typename State>
void visit_moments(KeptState& kept, StateVisitor& visitor) {
  auto state = taken_or_new<State>(kept);
  visitor.integer("step", state->step());
  visitor.tensor("exp_avg", state->exp_avg(), StateShape::kOfParameter);
  visitor.tensor("exp_avg_sq", state->exp_avg_sq(), StateShape::kOfParameter);
  if (state->exp_avg().defined()) kept = std::move(state);
}

void visit_momentum(KeptState& kept, StateVisitor& visitor) {
  auto state = taken_or_new<torch::optim::SGDParamState>(kept);
  visitor.tensor("momentum_buffer", state->momentum_buffer(), StateShape::kOfParameter);
  if (state->momentum_buffer().defined()) kept = std::move(state);
}

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
  return std::make_unique<LoopOptimizer>(std::move(parameters), std::move(optimizer), visit_moments<State>);
}

std::unique_ptr<Optimizer> sgd(const config::OptimizerConfig& config,
                               std::vector<NamedParameter> parameters) {
  auto optimizer = std::make_unique<torch::optim::SGD>(
      tensors_of(parameters),
      torch::optim::SGDOptions(config.lr).momentum(config.momentum).weight_decay(config.weight_decay));
  return std::make_unique<LoopOptimizer>(std::move(parameters), std::move(optimizer), visit_momentum);
}

}  // namespace

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

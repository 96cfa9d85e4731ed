// SPDX-License-Identifier: Apache-2.0
// What the training loop asks of an optimizer, whoever implements it.
#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/named_parameter.hpp"
#include "host/trainer/saving/state_visitor.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

// A model's that require a gradient, in their order of registration.
std::vector<NamedParameter> named_parameters(const torch::nn::Module& model);

// One tensor that an optimizer keeps between steps for one parameter.
struct OptimizerState {
  std::string_view name;  // torch.optim's: "exp_avg", "exp_avg_sq", "momentum_buffer"; static storage
  at::Tensor parameter;
  at::Tensor tensor;
  TensorRole role = TensorRole::kOptimizerState;  // or kProjector
};

class Optimizer {
 public:
  // Shares the parameters with the model.
  explicit Optimizer(std::vector<NamedParameter> parameters) : parameters_(std::move(parameters)) {}
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Of the steps from now on. Until it is first called the configuration's.
  virtual void set_learning_rate(double learning_rate) = 0;

  // Updates every parameter that has a gradient. Records no gradients.
  virtual void step() = 0;

  // Shows `visitor` each parameter and what is kept for it.
  void visit(StateVisitor& visitor);

  // The tensors of that: nothing before the first step.
  std::vector<OptimizerState> state();

  // Makes all state now, by a step of gradients and a rate of zero, one parameter at a time; no parameter has
  // a gradient, and none changes. The rate has to be set again. State that follows the parameter itself, as
  // the moments of adam with weight decay, starts with it.
  void make_state();

  // Frees the gradients, or fills them with zeros where they stay.
  void zero_grad(bool set_to_none) const;

  // Of the parameters that have one.
  std::vector<at::Tensor> gradients() const;

 protected:
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

  // Shows all that the next step depends on besides the parameter, its gradient and the configuration.
  virtual void visit_state_of(std::size_t parameter, StateVisitor& visitor) = 0;

 private:
  std::vector<NamedParameter> parameters_;
};

// The optimizer that the configuration names, over `parameters`. Throws std::logic_error for a combination
// that the configuration should have refused.
std::unique_ptr<Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                          std::vector<NamedParameter> parameters);

}  // namespace strata::trainer

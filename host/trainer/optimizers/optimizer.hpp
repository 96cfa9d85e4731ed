// SPDX-License-Identifier: Apache-2.0
// The interface of an optimizer for the training loop, for any implementation.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/state_visitor.hpp"
#include "strata/runtime/session.hpp"

namespace strata::trainer {

// A model's parameters that require a gradient, in order of registration.
std::vector<NamedParameter> named_parameters(const torch::nn::Module& model);

// A tensor that an optimizer keeps between steps for one parameter.
struct OptimizerState {
  std::string_view name;  // as in torch.optim: "exp_avg", "exp_avg_sq", "momentum_buffer"; static storage
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

  // For steps from now on. Before the first call the configured rate is used.
  virtual void set_learning_rate(double learning_rate) = 0;

  // Updates every parameter that has a gradient. Does not record gradients.
  virtual void step() = 0;

  // Shows each parameter and its state to `visitor`.
  void visit(StateVisitor& visitor);

  // Only the tensors: none before the first step.
  std::vector<OptimizerState> state();

  // Creates all state now, one parameter at a time, by a step with zero gradients and a zero learning rate.
  // No parameter may have a gradient before, and none changes. Set the rate again afterwards. State that
  // depends on the parameter itself, such as adam's moments with weight decay, starts with its value.
  void make_state();

  // Frees the gradients, or fills them with zeros if they are kept.
  void zero_grad(bool set_to_none) const;

  // For the parameters that have one.
  std::vector<at::Tensor> gradients() const;

 protected:
  const std::vector<NamedParameter>& parameters() const { return parameters_; }

  // Shows all state that the next step depends on besides the parameter, its gradient and the configuration.
  virtual void visit_state_of(std::size_t parameter, StateVisitor& visitor) = 0;

 private:
  std::vector<NamedParameter> parameters_;
};

// The configured optimizer for `parameters`. Throws std::logic_error for a combination that the configuration
// should have rejected.
std::unique_ptr<Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                          std::vector<NamedParameter> parameters);

// The learning rate of each step, as in transformers' schedules with the same names. `step` counts from 0,
// out of `steps`. In the w warm-up steps it is lr * step / w. Afterwards the remaining fraction, from 1 at
// step w to lr_final_share at `steps`, is
//   constant  1
//   linear    final + (1 - final) * (1 - progress)
//   cosine    final + (1 - final) * (1 + cos(pi * progress)) / 2
double learning_rate_at(const config::OptimizerConfig& config, std::uint64_t step, std::uint64_t steps);

// As torch.nn.utils.clip_grad_norm_: scales the gradients in place, so that their total 2-norm is at most
// `largest_norm`. All must be on one device and in one number format. The host does not read back whether
// scaling is necessary: otherwise gradients are multiplied by 1. A norm that is not finite makes them NaN, or
// 0, as in torch.
void clip_gradients(const std::vector<at::Tensor>& gradients, double largest_norm);

}  // namespace strata::trainer

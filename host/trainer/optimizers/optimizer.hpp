// SPDX-License-Identifier: Apache-2.0
// What the training loop asks of an optimizer, whoever implements it.
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"
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

  // Of the steps from now on. Before the first call it is the configuration's.
  virtual void set_learning_rate(double learning_rate) = 0;

  // Updates every parameter that has a gradient. Records no gradients.
  virtual void step() = 0;

  // Shows `visitor` each parameter and what is kept for it.
  void visit(StateVisitor& visitor);

  // The tensors among these: none before the first step.
  std::vector<OptimizerState> state();

  // Makes all state now, one parameter at a time, by a step whose gradients and learning rate are zero. No
  // parameter may have a gradient before, and none changes. The rate has to be set again afterwards. State
  // that follows the parameter itself, as the moments of adam with weight decay, starts with it.
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

// The learning rate of each step, as transformers' schedules of the same names have it. `step` counts from 0,
// of `steps` in all. Over the w steps of the warm-up it is lr * step / w. From there the share that is left,
// from 1 at step w to lr_final_share at `steps`, is
//   constant  1
//   linear    final + (1 - final) * (1 - progress)
//   cosine    final + (1 - final) * (1 + cos(pi * progress)) / 2
double learning_rate_at(const config::OptimizerConfig& config, std::uint64_t step, std::uint64_t steps);

// As torch.nn.utils.clip_grad_norm_: scales the gradients in place, so that the 2-norm of all of them
// together is at most `largest_norm`. All on one device and in one number format. Whether they have to be
// scaled is not read back: those that need not are multiplied by 1. A norm that is not finite makes them NaN,
// or 0, as there.
void clip_gradients(const std::vector<at::Tensor>& gradients, double largest_norm);

}  // namespace strata::trainer

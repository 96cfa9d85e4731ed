// What the training loop asks of an optimizer, whoever implements it.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string_view>
#include <vector>

#include "host/config/run_config.hpp"

namespace strata::trainer {

// One tensor that an optimizer keeps between steps for one parameter.
struct OptimizerState {
  std::string_view name;  // torch.optim's: "exp_avg", "exp_avg_sq", "momentum_buffer"; static storage
  at::Tensor parameter;
  at::Tensor tensor;
};

class Optimizer {
 public:
  Optimizer() = default;
  virtual ~Optimizer() = default;
  Optimizer(const Optimizer&) = delete;
  Optimizer& operator=(const Optimizer&) = delete;

  // Updates every parameter that has a gradient.
  virtual void step() = 0;

  // Frees the gradients, or fills them with zeros where they stay.
  virtual void zero_grad(bool set_to_none) = 0;

  // What is kept now: nothing before the first step.
  virtual std::vector<OptimizerState> state() const = 0;
};

// The optimizer that the configuration names, over `parameters`, which it shares.
std::unique_ptr<Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                          std::vector<at::Tensor> parameters);

}  // namespace strata::trainer

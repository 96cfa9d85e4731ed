// SPDX-License-Identifier: Apache-2.0
// Adam (arXiv:1412.6980) and AdamW (arXiv:1711.05101) over all parameters at once, in torch.optim's two ways.
#pragma once

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

class MultiTensorAdam : public Optimizer {
 public:
  // `config.name` is adamw or adam, `config.impl` is
  //   foreach  operation by operation, each over all parameters: roots of all second moments, and adam's
  //   decayed
  //            gradients, are alive at once
  //   fused    in a kernel for all of it, which needs no temporaries; its count of steps is a tensor a
  //   parameter
  MultiTensorAdam(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters);

  void set_learning_rate(double learning_rate) override { config_.lr = learning_rate; }
  void step() override;

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override;

  struct Moments {
    at::Tensor average;         // of the gradient; undefined until it has had one
    at::Tensor square_average;  // of its square
    at::Tensor steps_tensor;    // fused: float32, one element on the parameter's device
    std::int64_t steps = 0;     // foreach
  };
  // What one step works on: those that have a gradient, in order.
  struct Lists {
    std::vector<at::Tensor> parameters, gradients, averages, square_averages, steps_tensors;
    std::vector<std::int64_t> steps;
  };

  Lists lists();
  void make(Moments& moments, const at::Tensor& parameter) const;
  void step_foreach(Lists lists) const;
  void step_fused(const Lists& lists) const;
  bool is_fused() const { return config_.impl == config::OptimizerImpl::kFused; }
  bool is_decoupled() const { return config_.name == config::OptimizerName::kAdamW; }

  config::OptimizerConfig config_;
  std::vector<Moments> moments_;  // of each parameter
};

}  // namespace strata::trainer

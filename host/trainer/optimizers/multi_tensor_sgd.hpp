// SPDX-License-Identifier: Apache-2.0
// Stochastic gradient descent over all parameters at once, in torch.optim.SGD's two ways.
#pragma once

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

class MultiTensorSgd : public Optimizer {
 public:
  // `config.impl` is foreach, which with weight decay makes decayed gradients of all parameters at once, or
  // fused, in a kernel for all of it.
  MultiTensorSgd(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters);

  void set_learning_rate(double learning_rate) override { config_.lr = learning_rate; }
  void step() override;

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override;

  struct Lists {
    std::vector<at::Tensor> parameters, gradients;
    std::vector<std::size_t> numbers;  // which of all parameters they are
  };

  Lists lists() const;
  void step_foreach(Lists lists);
  void step_fused(const Lists& lists);
  // The momentum that is kept for those of `lists`; of those that have none it is made of `gradients`.
  std::vector<at::Tensor> moved_momentum(const Lists& lists);

  config::OptimizerConfig config_;
  std::vector<at::Tensor> momentum_;  // of each parameter; undefined until it has had a gradient
};

}  // namespace strata::trainer

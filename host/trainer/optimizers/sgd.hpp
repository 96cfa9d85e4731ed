// Stochastic gradient descent, with momentum and weight decay where they are not 0, as torch.optim.SGD
// computes it.
#pragma once

#include "host/trainer/optimizers/libtorch_optimizer.hpp"

namespace strata::trainer {

class Sgd : public LibtorchOptimizer {
 public:
  Sgd(const config::OptimizerConfig& config, std::vector<at::Tensor> parameters);

 protected:
  void append_state(const at::Tensor& parameter, const torch::optim::OptimizerParamState& state,
                    std::vector<OptimizerState>& states) const override;
};

}  // namespace strata::trainer

// Adam with decoupled weight decay (arXiv:1711.05101), as torch.optim.AdamW computes it.
#pragma once

#include "host/trainer/optimizers/libtorch_optimizer.hpp"

namespace strata::trainer {

class AdamW : public LibtorchOptimizer {
 public:
  AdamW(const config::OptimizerConfig& config, std::vector<at::Tensor> parameters);

 protected:
  void append_state(const at::Tensor& parameter, const torch::optim::OptimizerParamState& state,
                    std::vector<OptimizerState>& states) const override;
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// LibTorch's own optimizers behind our interface. They step the parameters one by one, each in single
// operations, as torch.optim does with foreach=False.
#pragma once

#include <torch/optim/optimizer.h>

#include <functional>
#include <memory>

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

// Shows what one of LibTorch's optimizers keeps for a parameter: null, before and after, where there is none.
using VisitState = void (*)(std::unique_ptr<torch::optim::OptimizerParamState>& state, StateVisitor& visitor);

class LoopOptimizer : public Optimizer {
 public:
  LoopOptimizer(std::vector<NamedParameter> parameters, std::unique_ptr<torch::optim::Optimizer> optimizer,
                VisitState visit_state);
  // Frees the state parameter by parameter: LibTorch's own order is that of a hash of addresses, which no two
  // runs share.
  ~LoopOptimizer() override;

  void set_learning_rate(double learning_rate) override;
  void step() override { optimizer_->step(); }

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override;

  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  VisitState visit_state_;
};

// torch::optim::SGD, Adam and AdamW.
std::unique_ptr<Optimizer> make_loop_optimizer(const config::OptimizerConfig& config,
                                               std::vector<NamedParameter> parameters);

}  // namespace strata::trainer

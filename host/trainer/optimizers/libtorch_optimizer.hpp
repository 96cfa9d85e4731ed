// LibTorch's own optimizers behind our interface. They loop over the parameters one by one ("for-loop").
#pragma once

#include <torch/optim/optimizer.h>

#include <memory>
#include <utility>
#include <vector>

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

class LibtorchOptimizer : public Optimizer {
 public:
  explicit LibtorchOptimizer(std::unique_ptr<torch::optim::Optimizer> optimizer)
      : optimizer_(std::move(optimizer)) {}
  // Frees the state parameter by parameter: LibTorch's own order is that of a hash of addresses, which no two
  // runs share.
  ~LibtorchOptimizer() override;

  void step() override { optimizer_->step(); }
  void zero_grad(bool set_to_none) override { optimizer_->zero_grad(set_to_none); }
  std::vector<OptimizerState> state() const override;

 protected:
  // Appends what `state` keeps for `parameter`.
  virtual void append_state(const at::Tensor& parameter, const torch::optim::OptimizerParamState& state,
                            std::vector<OptimizerState>& states) const = 0;

 private:
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
};

}  // namespace strata::trainer

// LibTorch's own optimizers behind our interface. They step the parameters one by one, each in single
// operations, as torch.optim does with foreach=False.
#pragma once

#include <torch/optim/optimizer.h>

#include <functional>
#include <memory>

#include "host/trainer/optimizers/optimizer.hpp"

namespace strata::trainer {

// The tensors that one of LibTorch's optimizers keeps for a parameter, by torch.optim's names.
using ReadState =
    std::vector<std::pair<std::string_view, at::Tensor>> (*)(const torch::optim::OptimizerParamState& state);

class LoopOptimizer : public Optimizer {
 public:
  LoopOptimizer(std::vector<NamedParameter> parameters, std::unique_ptr<torch::optim::Optimizer> optimizer,
                ReadState read_state);
  // Frees the state parameter by parameter: LibTorch's own order is that of a hash of addresses, which no two
  // runs share.
  ~LoopOptimizer() override;

  void set_learning_rate(double learning_rate) override;
  void step() override { optimizer_->step(); }
  std::vector<OptimizerState> state() const override;

 private:
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  ReadState read_state_;
};

// torch::optim::SGD, Adam and AdamW.
std::unique_ptr<Optimizer> make_loop_optimizer(const config::OptimizerConfig& config,
                                               std::vector<NamedParameter> parameters);

}  // namespace strata::trainer

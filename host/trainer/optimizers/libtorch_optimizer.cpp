#include "host/trainer/optimizers/libtorch_optimizer.hpp"

namespace strata::trainer {

LibtorchOptimizer::~LibtorchOptimizer() {
  for (const auto& group : optimizer_->param_groups()) {
    for (const at::Tensor& parameter : group.params())
      optimizer_->state().erase(parameter.unsafeGetTensorImpl());
  }
}

std::vector<OptimizerState> LibtorchOptimizer::state() const {
  std::vector<OptimizerState> states;
  const auto& by_parameter = optimizer_->state();
  for (const auto& group : optimizer_->param_groups()) {
    for (const at::Tensor& parameter : group.params()) {
      const auto found = by_parameter.find(parameter.unsafeGetTensorImpl());
      if (found != by_parameter.end()) append_state(parameter, *found->second, states);
    }
  }
  return states;
}

}  // namespace strata::trainer

#include "host/trainer/optimizers/optimizer.hpp"

#include <ATen/ATen.h>

namespace strata::trainer {

std::vector<NamedParameter> named_parameters(const torch::nn::Module& model) {
  std::vector<NamedParameter> parameters;
  for (const auto& parameter : model.named_parameters())
    parameters.push_back({parameter.key(), parameter.value()});
  return parameters;
}

void Optimizer::make_state() {
  set_learning_rate(0.0);
  for (const NamedParameter& parameter : parameters_) {
    parameter.tensor.mutable_grad() = at::zeros_like(parameter.tensor);
    step();
    parameter.tensor.mutable_grad().reset();
  }
}

void Optimizer::zero_grad(bool set_to_none) const {
  for (const NamedParameter& parameter : parameters_) {
    at::Tensor& gradient = parameter.tensor.mutable_grad();
    if (!gradient.defined()) continue;
    if (set_to_none) {
      gradient.reset();
    } else {
      gradient.detach_().zero_();
    }
  }
}

std::vector<at::Tensor> Optimizer::gradients() const {
  std::vector<at::Tensor> gradients;
  for (const NamedParameter& parameter : parameters_) {
    if (parameter.tensor.grad().defined()) gradients.push_back(parameter.tensor.grad());
  }
  return gradients;
}

}  // namespace strata::trainer

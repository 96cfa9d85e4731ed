// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/optimizer.hpp"

#include <ATen/ATen.h>

#include <utility>

namespace strata::trainer {

std::vector<NamedParameter> named_parameters(const torch::nn::Module& model) {
  std::vector<NamedParameter> parameters;
  for (const auto& parameter : model.named_parameters()) {
    if (parameter.value().requires_grad()) parameters.push_back({parameter.key(), parameter.value()});
  }
  return parameters;
}

namespace {

class Collector : public StateVisitor {
 public:
  std::vector<OptimizerState> states;

  void parameter(const NamedParameter& parameter) override { parameter_ = parameter.tensor; }
  void tensor(std::string_view name, at::Tensor& tensor, StateShape, TensorRole role) override {
    if (tensor.defined()) states.push_back({name, parameter_, tensor, role});
  }
  void constant(std::string_view name, const at::Tensor& tensor) override {
    states.push_back({name, parameter_, tensor});
  }
  void integer(std::string_view, std::int64_t&) override {}
  void generator(std::string_view, at::Generator&) override {}

 private:
  at::Tensor parameter_;
};

}  // namespace

void Optimizer::visit(StateVisitor& visitor) {
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    visitor.parameter(parameters_[i]);
    visit_state_of(i, visitor);
  }
}

std::vector<OptimizerState> Optimizer::state() {
  Collector collector;
  visit(collector);
  return std::move(collector.states);
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

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/multi_tensor_sgd.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace strata::trainer {

MultiTensorSgd::MultiTensorSgd(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters)
    : Optimizer(std::move(parameters)), config_(config), momentum_(this->parameters().size()) {}

void MultiTensorSgd::step() {
  const at::NoGradGuard no_gradients;
  Lists with_gradient = lists();
  if (with_gradient.parameters.empty()) return;
  if (config_.impl == config::OptimizerImpl::kFused) {
    step_fused(with_gradient);
  } else {
    step_foreach(std::move(with_gradient));
  }
}

MultiTensorSgd::Lists MultiTensorSgd::lists() const {
  Lists lists;
  for (std::size_t i = 0; i < momentum_.size(); ++i) {
    const at::Tensor& parameter = parameters()[i].tensor;
    if (!parameter.grad().defined()) continue;
    lists.parameters.push_back(parameter);
    lists.gradients.push_back(parameter.grad());
    lists.numbers.push_back(i);
  }
  return lists;
}

void MultiTensorSgd::step_foreach(Lists lists) {
  if (config_.weight_decay != 0.0)
    lists.gradients = at::_foreach_add(lists.gradients, lists.parameters, config_.weight_decay);
  if (config_.momentum != 0.0) lists.gradients = moved_momentum(lists);
  at::_foreach_add_(lists.parameters, lists.gradients, -config_.lr);
}

std::vector<at::Tensor> MultiTensorSgd::moved_momentum(const Lists& lists) {
  std::vector<at::Tensor> kept, their_gradients, momentum;
  for (std::size_t i = 0; i < lists.numbers.size(); ++i) {
    at::Tensor& buffer = momentum_[lists.numbers[i]];
    if (buffer.defined()) {
      kept.push_back(buffer);
      their_gradients.push_back(lists.gradients[i]);
    } else {
      buffer = lists.gradients[i].clone();
    }
    momentum.push_back(buffer);
  }
  if (!kept.empty()) {
    at::_foreach_mul_(kept, config_.momentum);
    at::_foreach_add_(kept, their_gradients);
  }
  return momentum;
}

void MultiTensorSgd::step_fused(const Lists& lists) {
  std::vector<at::Tensor> momentum;
  const bool is_first =
      std::ranges::none_of(lists.numbers, [&](std::size_t number) { return momentum_[number].defined(); });
  if (config_.momentum != 0.0) {
    for (std::size_t i = 0; i < lists.numbers.size(); ++i) {
      at::Tensor& buffer = momentum_[lists.numbers[i]];
      if (!buffer.defined())
        buffer = is_first ? at::empty_like(lists.gradients[i]) : at::zeros_like(lists.gradients[i]);
      momentum.push_back(buffer);
    }
  }
  at::_fused_sgd_(lists.parameters, lists.gradients, momentum, config_.weight_decay, config_.momentum,
                  config_.lr, /*dampening=*/0.0, /*nesterov=*/false, /*maximize=*/false, is_first,
                  /*grad_scale=*/std::nullopt, /*found_inf=*/std::nullopt);
}

void MultiTensorSgd::visit_state_of(std::size_t parameter, StateVisitor& visitor) {
  visitor.tensor("momentum_buffer", momentum_[parameter], StateShape::kOfParameter);
}

}  // namespace strata::trainer

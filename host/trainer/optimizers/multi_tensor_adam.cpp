// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/multi_tensor_adam.hpp"

#include <ATen/ATen.h>

#include <cmath>
#include <utility>

namespace strata::trainer {
namespace {

// What torch.optim's bias corrections make of the counts of steps: the factor of the update, and the divisor
// of the second moment's root.
struct Corrections {
  std::vector<at::Scalar> step_sizes;
  std::vector<at::Scalar> root_divisors;
};

Corrections corrections_of(const std::vector<std::int64_t>& steps, const config::OptimizerConfig& config) {
  Corrections corrections;
  for (const std::int64_t step : steps) {
    const auto count = static_cast<double>(step);
    corrections.step_sizes.emplace_back(-config.lr / (1.0 - std::pow(config.beta1, count)));
    corrections.root_divisors.emplace_back(std::sqrt(1.0 - std::pow(config.beta2, count)));
  }
  return corrections;
}

}  // namespace

MultiTensorAdam::MultiTensorAdam(const config::OptimizerConfig& config,
                                 std::vector<NamedParameter> parameters)
    : Optimizer(std::move(parameters)), config_(config), moments_(this->parameters().size()) {}

void MultiTensorAdam::step() {
  const at::NoGradGuard no_gradients;
  Lists with_gradient = lists();
  if (with_gradient.parameters.empty()) return;
  if (is_fused()) {
    step_fused(with_gradient);
  } else {
    step_foreach(std::move(with_gradient));
  }
}

MultiTensorAdam::Lists MultiTensorAdam::lists() {
  Lists lists;
  for (std::size_t i = 0; i < moments_.size(); ++i) {
    const at::Tensor& parameter = parameters()[i].tensor;
    if (!parameter.grad().defined()) continue;
    Moments& moments = moments_[i];
    if (!moments.average.defined()) make(moments, parameter);
    lists.parameters.push_back(parameter);
    lists.gradients.push_back(parameter.grad());
    lists.averages.push_back(moments.average);
    lists.square_averages.push_back(moments.square_average);
    if (is_fused()) {
      lists.steps_tensors.push_back(moments.steps_tensor);
    } else {
      lists.steps.push_back(++moments.steps);
    }
  }
  return lists;
}

void MultiTensorAdam::make(Moments& moments, const at::Tensor& parameter) const {
  if (is_fused()) moments.steps_tensor = at::zeros({}, parameter.options().dtype(at::kFloat));
  moments.average = at::zeros_like(parameter, at::MemoryFormat::Preserve);
  moments.square_average = at::zeros_like(parameter, at::MemoryFormat::Preserve);
}

void MultiTensorAdam::step_foreach(Lists lists) const {
  if (config_.weight_decay != 0.0 && is_decoupled())
    at::_foreach_mul_(lists.parameters, 1.0 - config_.lr * config_.weight_decay);
  if (config_.weight_decay != 0.0 && !is_decoupled())
    lists.gradients = at::_foreach_add(lists.gradients, lists.parameters, config_.weight_decay);

  at::_foreach_lerp_(lists.averages, lists.gradients, 1.0 - config_.beta1);
  at::_foreach_mul_(lists.square_averages, config_.beta2);
  at::_foreach_addcmul_(lists.square_averages, lists.gradients, lists.gradients, 1.0 - config_.beta2);
  lists.gradients.clear();

  const Corrections corrections = corrections_of(lists.steps, config_);
  const std::vector<at::Tensor> roots = at::_foreach_sqrt(lists.square_averages);
  at::_foreach_div_(roots, corrections.root_divisors);
  at::_foreach_add_(roots, config_.epsilon);
  at::_foreach_addcdiv_(lists.parameters, lists.averages, roots, corrections.step_sizes);
}

void MultiTensorAdam::step_fused(const Lists& lists) const {
  at::_foreach_add_(lists.steps_tensors, 1.0);
  auto* const apply = is_decoupled() ? &at::_ops::_fused_adamw_::call : &at::_ops::_fused_adam_::call;
  apply(lists.parameters, lists.gradients, lists.averages, lists.square_averages, /*max_exp_avg_sqs=*/{},
        lists.steps_tensors, config_.lr, config_.beta1, config_.beta2, config_.weight_decay, config_.epsilon,
        /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/std::nullopt, /*found_inf=*/std::nullopt);
}

void MultiTensorAdam::visit_state_of(std::size_t parameter, StateVisitor& visitor) {
  Moments& moments = moments_[parameter];
  if (is_fused()) {
    visitor.tensor("step", moments.steps_tensor, StateShape::kOther);
  } else {
    visitor.integer("step", moments.steps);
  }
  visitor.tensor("exp_avg", moments.average, StateShape::kOfParameter);
  visitor.tensor("exp_avg_sq", moments.square_average, StateShape::kOfParameter);
}

}  // namespace strata::trainer

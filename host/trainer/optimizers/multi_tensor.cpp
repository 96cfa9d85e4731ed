// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/implementations.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace strata::trainer {
namespace {

// torch.optim's bias corrections for the step counts: the factor of the update, and the divisor of the second
// moment's root.
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

// Adam (arXiv:1412.6980) and AdamW (arXiv:1711.05101) over all parameters at once, in torch.optim's two ways.
class MultiTensorAdam : public Optimizer {
 public:
  // `config.name` is adamw or adam, `config.impl` is
  //   foreach  operation by operation, each over all parameters: roots of all second moments, and adam's
  //            decayed gradients, are alive at once
  //   fused    in one kernel, which needs no temporaries; its count of steps is a tensor a parameter
  MultiTensorAdam(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters)
      : Optimizer(std::move(parameters)), config_(config), moments_(this->parameters().size()) {}

  void set_learning_rate(double learning_rate) override { config_.lr = learning_rate; }

  void step() override {
    const at::NoGradGuard no_gradients;
    Lists with_gradient = lists();
    if (with_gradient.parameters.empty()) return;
    if (is_fused()) {
      step_fused(with_gradient);
    } else {
      step_foreach(std::move(with_gradient));
    }
  }

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override {
    Moments& moments = moments_[parameter];
    if (is_fused()) {
      visitor.tensor("step", moments.steps_tensor, StateShape::kOther);
    } else {
      visitor.integer("step", moments.steps);
    }
    visitor.tensor("exp_avg", moments.average, StateShape::kOfParameter);
    visitor.tensor("exp_avg_sq", moments.square_average, StateShape::kOfParameter);
  }

  struct Moments {
    at::Tensor average;         // of the gradient; undefined before its first one
    at::Tensor square_average;  // of its square
    at::Tensor steps_tensor;    // fused: float32, one element on the parameter's device
    std::int64_t steps = 0;     // foreach
  };
  // The operands of one step: parameters with a gradient, in order.
  struct Lists {
    std::vector<at::Tensor> parameters, gradients, averages, square_averages, steps_tensors;
    std::vector<std::int64_t> steps;
  };

  Lists lists() {
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

  void make(Moments& moments, const at::Tensor& parameter) const {
    if (is_fused()) moments.steps_tensor = at::zeros({}, parameter.options().dtype(at::kFloat));
    moments.average = at::zeros_like(parameter, at::MemoryFormat::Preserve);
    moments.square_average = at::zeros_like(parameter, at::MemoryFormat::Preserve);
  }

  void step_foreach(Lists lists) const {
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

  void step_fused(const Lists& lists) const {
    at::_foreach_add_(lists.steps_tensors, 1.0);
    auto* const apply = is_decoupled() ? &at::_ops::_fused_adamw_::call : &at::_ops::_fused_adam_::call;
    apply(lists.parameters, lists.gradients, lists.averages, lists.square_averages, /*max_exp_avg_sqs=*/{},
          lists.steps_tensors, config_.lr, config_.beta1, config_.beta2, config_.weight_decay,
          config_.epsilon,
          /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/std::nullopt, /*found_inf=*/std::nullopt);
  }

  bool is_fused() const { return config_.impl == config::OptimizerImpl::kFused; }
  bool is_decoupled() const { return config_.name == config::OptimizerName::kAdamW; }

  config::OptimizerConfig config_;
  std::vector<Moments> moments_;  // of each parameter
};

// Stochastic gradient descent over all parameters at once, in torch.optim.SGD's two ways.
class MultiTensorSgd : public Optimizer {
 public:
  // `config.impl` is foreach, which with weight decay makes decayed gradients of all parameters at once, or
  // fused, in one kernel.
  MultiTensorSgd(const config::OptimizerConfig& config, std::vector<NamedParameter> parameters)
      : Optimizer(std::move(parameters)), config_(config), momentum_(this->parameters().size()) {}

  void set_learning_rate(double learning_rate) override { config_.lr = learning_rate; }

  void step() override {
    const at::NoGradGuard no_gradients;
    Lists with_gradient = lists();
    if (with_gradient.parameters.empty()) return;
    if (config_.impl == config::OptimizerImpl::kFused) {
      step_fused(with_gradient);
    } else {
      step_foreach(std::move(with_gradient));
    }
  }

 private:
  void visit_state_of(std::size_t parameter, StateVisitor& visitor) override {
    visitor.tensor("momentum_buffer", momentum_[parameter], StateShape::kOfParameter);
  }

  struct Lists {
    std::vector<at::Tensor> parameters, gradients;
    std::vector<std::size_t> numbers;  // indices among all parameters
  };

  Lists lists() const {
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

  void step_foreach(Lists lists) {
    if (config_.weight_decay != 0.0)
      lists.gradients = at::_foreach_add(lists.gradients, lists.parameters, config_.weight_decay);
    if (config_.momentum != 0.0) lists.gradients = moved_momentum(lists);
    at::_foreach_add_(lists.parameters, lists.gradients, -config_.lr);
  }

  void step_fused(const Lists& lists) {
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

  // The momentum that is kept for those of `lists`; of those that have none it is made of `gradients`.
  std::vector<at::Tensor> moved_momentum(const Lists& lists) {
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

  config::OptimizerConfig config_;
  std::vector<at::Tensor> momentum_;  // per parameter; undefined before its first gradient
};

std::unique_ptr<Optimizer> make_multi_tensor_optimizer(const config::OptimizerConfig& config,
                                                       std::vector<NamedParameter> parameters) {
  switch (config.name) {
    case config::OptimizerName::kAdamW:
    case config::OptimizerName::kAdam:
      return std::make_unique<MultiTensorAdam>(config, std::move(parameters));
    case config::OptimizerName::kSgd:
      return std::make_unique<MultiTensorSgd>(config, std::move(parameters));
    default:
      break;
  }
  throw std::logic_error("optimizer.name: the trainer does not know it, but the schema does");
}

}  // namespace strata::trainer

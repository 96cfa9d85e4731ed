// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/optimizer.hpp"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

#include "host/config/optimizer_defaults.hpp"
#include "host/trainer/optimizers/implementations.hpp"

namespace strata::trainer {
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

double share_left(config::LearningRateSchedule schedule, double progress) {
  switch (schedule) {
    case config::LearningRateSchedule::kLinear:
      return 1.0 - progress;
    case config::LearningRateSchedule::kCosine:
      return 0.5 * (1.0 + std::cos(std::numbers::pi * progress));
    case config::LearningRateSchedule::kConstant:
      break;
  }
  return 1.0;
}

}  // namespace

std::vector<NamedParameter> named_parameters(const torch::nn::Module& model) {
  std::vector<NamedParameter> parameters;
  for (const auto& parameter : model.named_parameters()) {
    if (parameter.value().requires_grad()) parameters.push_back({parameter.key(), parameter.value()});
  }
  return parameters;
}

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

std::unique_ptr<Optimizer> make_optimizer(const config::OptimizerConfig& config,
                                          std::vector<NamedParameter> parameters) {
  const bool is_loop = config.impl == config::OptimizerImpl::kLoop;
  if (!config::has_multi_tensor_form(config.name)) {
    if (!is_loop) throw std::logic_error("optimizer.impl: this optimizer supports only loop");
    return make_rule_optimizer(config, std::move(parameters));
  }
  return is_loop ? make_loop_optimizer(config, std::move(parameters))
                 : make_multi_tensor_optimizer(config, std::move(parameters));
}

double learning_rate_at(const config::OptimizerConfig& config, std::uint64_t step, std::uint64_t steps) {
  const auto done = static_cast<double>(step);
  const auto warmup = static_cast<double>(config.lr_warmup_steps);
  if (done < warmup) return config.lr * done / warmup;
  const double progress = std::min(1.0, (done - warmup) / std::max(1.0, static_cast<double>(steps) - warmup));
  const double share = share_left(config.lr_schedule, progress);
  return config.lr * (config.lr_final_share + (1.0 - config.lr_final_share) * share);
}

void clip_gradients(const std::vector<at::Tensor>& gradients, double largest_norm) {
  if (gradients.empty()) return;
  const at::NoGradGuard no_gradients;
  const at::Tensor norm = at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, 2.0)), 2.0);
  at::_foreach_mul_(gradients, at::clamp_max(largest_norm / (norm + 1e-6), 1.0));
}

}  // namespace strata::trainer

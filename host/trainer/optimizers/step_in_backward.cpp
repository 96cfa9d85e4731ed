// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/optimizers/step_in_backward.hpp"

#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <memory>
#include <utility>

namespace strata::trainer {
namespace {

// Keeps the parameter's name and no reference to it: the parameter owns the hook.
class StepHook : public torch::autograd::PostAccumulateGradHook {
 public:
  StepHook(std::string name, std::shared_ptr<const StepInBackward::Step> step)
      : name_(std::move(name)), step_(std::move(step)) {}

  void operator()(const at::Tensor& parameter) override {
    const at::NoGradGuard no_gradients;
    (*step_)({name_, parameter});
    parameter.mutable_grad().reset();
  }

 private:
  std::string name_;
  std::shared_ptr<const StepInBackward::Step> step_;
};

}  // namespace

StepInBackward::StepInBackward(const std::vector<NamedParameter>& parameters, Step step) {
  const auto shared_step = std::make_shared<const Step>(std::move(step));
  parameters_.reserve(parameters.size());
  for (const NamedParameter& parameter : parameters) {
    torch::autograd::impl::set_post_acc_grad_hooks(parameter.tensor,
                                                   std::make_unique<StepHook>(parameter.name, shared_step));
    parameters_.push_back(parameter.tensor);
  }
}

StepInBackward::~StepInBackward() {
  for (const at::Tensor& parameter : parameters_)
    torch::autograd::impl::set_post_acc_grad_hooks(parameter, nullptr);
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

#include <stdexcept>
#include <utility>

#include "host/trainer/checkpointing/checkpoint.hpp"
#include "host/trainer/checkpointing/forward_state.hpp"

namespace strata::trainer {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kRun = "run";

// What backward needs to run the layer again.
struct LayerRun : torch::CustomClassHolder {
  LayerRun(LayerFunction function, ModuleScope module, at::Device device)
      : layer(std::move(function)), scope(std::move(module)), state(device, scope) {}

  LayerFunction layer;
  ModuleScope scope;
  ForwardState state;
};

struct RunAgain : torch::autograd::Function<RunAgain> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, const LayerFunction& layer,
                            const ModuleScope& scope) {
    context->save_for_backward({x});
    scope.keeps("input", x);
    context->saved_data[kRun] =
        c10::IValue::make_capsule(c10::make_intrusive<LayerRun>(layer, scope, x.device()));
    return layer(x);
  }

  static variable_list backward(AutogradContext* context, variable_list gradients) {
    const auto capsule = context->saved_data.at(kRun).toCapsule();
    auto& run = static_cast<LayerRun&>(*capsule);
    const at::Tensor x = context->get_saved_variables().front().detach().requires_grad_(true);
    at::Tensor output;
    {
      const auto range = run.scope.enter_again();
      const ForwardState::Again again(run.state);
      output = run.layer(x);
    }
    torch::autograd::backward({output}, gradients);
    return {x.grad(), {}, {}};
  }
};

}  // namespace

at::Tensor reentrant_checkpoint(const LayerFunction& layer, const at::Tensor& x, const ModuleScope& scope) {
  if (!x.requires_grad()) {
    throw std::invalid_argument(
        "checkpointing: reentrant: the input of a layer requires no gradient, so its weights would get none. "
        "Use reentrant: false.");
  }
  return RunAgain::apply(x, layer, scope);
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/checkpointing/kept_forward.hpp"

#include <ATen/ATen.h>
#include <ATen/Context.h>

#include <mutex>
#include <utility>

namespace strata::trainer {
namespace {

at::Tensor generator_state(at::Device device) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  return generator.get_state();
}

void set_generator_state(at::Device device, const at::Tensor& state) {
  at::Generator generator = at::globalContext().defaultGenerator(device);
  const std::lock_guard<std::mutex> lock(generator.mutex());
  generator.set_state(state);
}

at::Tensor device_generator_state(at::Device device) {
  return device.is_cpu() ? at::Tensor() : generator_state(device);
}

constexpr const char* kInput = "input";

at::Tensor host_copy(const at::Tensor& x) {
  const at::NoGradGuard no_gradients;
  const at::TensorOptions options = x.options().device(at::kCPU).pinned_memory(x.is_cuda());
  return at::empty(x.sizes(), options).copy_(x, /*non_blocking=*/true);
}

}  // namespace

ForwardState::ForwardState(at::Device device, const ModuleScope& scope)
    : device_(device),
      cpu_generator_(generator_state(at::kCPU)),
      device_generator_(device_generator_state(device)),
      autocast_(AutocastState::current(device.type())) {
  scope.keeps("cpu_generator", cpu_generator_);
  scope.keeps("device_generator", device_generator_);
}

ForwardState::Again::Again(const ForwardState& state)
    : device_(state.device_),
      cpu_generator_(generator_state(at::kCPU)),
      device_generator_(device_generator_state(state.device_)),
      autocast_(state.device_.type(), state.autocast_),
      gradients_(true) {
  set_generator_state(at::kCPU, state.cpu_generator_);
  if (device_generator_.defined()) set_generator_state(device_, state.device_generator_);
}

ForwardState::Again::~Again() {
  set_generator_state(at::kCPU, cpu_generator_);
  if (device_generator_.defined()) set_generator_state(device_, device_generator_);
}

void Kept::keep(const at::Tensor& tensor) {
  tensor_ = tensor;
  watched_ = watching_hooks();
  if (watched_) watched_->call_pack_hook(tensor.detach());
}

at::Tensor Kept::take() {
  watched_.reset();
  return std::exchange(tensor_, {});
}

KeptInput::KeptInput(const at::Tensor& x, InputPlace place, const ModuleScope& scope)
    : device_(x.device()),
      is_moved_(place == InputPlace::kHostMemory),
      requires_gradient_(x.requires_grad()) {
  // Not detached: a detached tensor would be a leaf, and autocast caches its casts of leaves.
  kept_.keep(is_moved_ ? host_copy(x) : x);
  is_moved_ ? scope.offloads(kInput, kept_.tensor()) : scope.keeps(kInput, x);
}

at::Tensor KeptInput::bring_back(const ModuleScope& scope) const {
  if (!is_moved_) return kept_.tensor();
  at::Tensor back;
  {
    const at::NoGradGuard no_gradients;
    back = kept_.tensor().to(device_, kept_.tensor().scalar_type(), /*non_blocking=*/true, /*copy=*/true);
  }
  scope.keeps(kInput, back);
  if (!requires_gradient_) return back;
  // A view: autocast would take a leaf for a weight, and keep its cast.
  return back.requires_grad_().view_as(back);
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/checkpointing/forward_state.hpp"

#include <ATen/Context.h>

#include <mutex>

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

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/saving/state_dict.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include <mutex>
#include <stdexcept>
#include <utility>

namespace strata::trainer {
namespace {

at::Tensor own_copy(const at::Tensor& tensor, at::Device device) {
  const at::Tensor whole = at::empty({0}, tensor.options()).set_(tensor.storage());
  const at::Tensor copy = device.is_cpu() ? whole.clone() : whole.to(device);
  return at::empty({0}, copy.options())
      .set_(copy.storage(), tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

}  // namespace

void StateWriter::parameter(const NamedParameter& parameter) {
  of_parameter_ = all_;
  const Dict state = make_dict();
  put(parameter.name, state);
  of_parameter_ = state;
}

void StateWriter::tensor(std::string_view name, at::Tensor& tensor, StateShape, TensorRole) {
  if (tensor.defined()) put(name, tensor.detach());
}

void StateWriter::integer(std::string_view name, std::int64_t& value) {
  put(name, value);
}

void StateWriter::generator(std::string_view name, at::Generator& generator) {
  if (!generator.defined()) return;
  const std::lock_guard lock(generator.mutex());
  put(name, generator.get_state());
}

void StateWriter::put(std::string_view name, c10::IValue value) {
  const std::string key(name);
  if (of_parameter_.contains(key)) throw std::logic_error("a checkpoint has two values of " + key);
  of_parameter_.insert(key, std::move(value));
}

void StateReader::parameter(const NamedParameter& parameter) {
  of_parameter_ = all_;
  parameter_ = parameter.tensor;
  parameter_name_ = parameter.name;
  const c10::IValue* const state = find(parameter.name);
  if (state == nullptr || !state->isGenericDict()) refuse("its state", "is missing");
  of_parameter_ = state->toGenericDict();
}

void StateReader::tensor(std::string_view name, at::Tensor& tensor, StateShape shape, TensorRole) {
  const c10::IValue* const value = find(name);
  if (value == nullptr) return;
  if (!value->isTensor()) refuse(name, "is not a tensor");
  const at::Tensor saved = value->toTensor();
  if (shape == StateShape::kOfParameter &&
      (saved.sizes() != parameter_.sizes() || !saved.is_non_overlapping_and_dense()))
    refuse(name, "has other sizes than the parameter");
  tensor = own_copy(saved, device_);
}

void StateReader::integer(std::string_view name, std::int64_t& value) {
  const c10::IValue* const saved = find(name);
  if (saved == nullptr || !saved->isInt()) refuse(name, "is missing or not an integer");
  value = saved->toInt();
}

void StateReader::generator(std::string_view name, at::Generator& generator) {
  const c10::IValue* const value = find(name);
  if (value == nullptr) return;
  if (!value->isTensor()) refuse(name, "is not the state of a generator");
  at::Generator shared = at::globalContext().defaultGenerator(device_);
  const std::lock_guard lock(shared.mutex());
  const at::Tensor state = value->toTensor();
  if (state.sizes() != shared.get_state().sizes()) return;
  at::Generator own = shared.clone();
  own.set_state(state);
  generator = own;
}

const c10::IValue* StateReader::find(std::string_view name) {
  const auto entry = of_parameter_.find(std::string(name));
  if (entry == of_parameter_.end()) return nullptr;
  found_ = entry->value();
  return &found_;
}

void StateReader::refuse(std::string_view name, std::string_view what) const {
  throw std::invalid_argument(fmt::format("{} of '{}' {}", name, parameter_name_, what));
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/saving/state_writer.hpp"

#include <ATen/ATen.h>

#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>

namespace strata::trainer {

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

}  // namespace strata::trainer

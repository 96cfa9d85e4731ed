// SPDX-License-Identifier: Apache-2.0
// Puts back what a StateWriter has written.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "host/trainer/saving/archive.hpp"
#include "host/trainer/saving/state_visitor.hpp"

namespace strata::trainer {

// Tensors get memory of their own on `device`, with the storage, strides and offset that they had: the share
// of a larger factor is one again, for what it keeps alive counts, and sums depend on how a matrix lies.
// Throws std::invalid_argument where the dict is none that was written of the same state.
class StateReader : public StateVisitor {
 public:
  StateReader(const Dict& all, at::Device device) : all_(all), of_parameter_(all), device_(device) {}

  void parameter(const NamedParameter& parameter) override;
  void tensor(std::string_view name, at::Tensor& tensor, StateShape shape, TensorRole role) override;
  void constant(std::string_view, const at::Tensor&) override {}
  void integer(std::string_view name, std::int64_t& value) override;
  // Stays undefined where it was saved of another kind of device, whose generators have another state.
  void generator(std::string_view name, at::Generator& generator) override;

 private:
  const c10::IValue* find(std::string_view name);
  [[noreturn]] void refuse(std::string_view name, std::string_view what) const;

  Dict all_;
  Dict of_parameter_;
  at::Device device_;
  at::Tensor parameter_;
  std::string parameter_name_;
  c10::IValue found_;
};

}  // namespace strata::trainer

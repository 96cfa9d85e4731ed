// SPDX-License-Identifier: Apache-2.0
// Converts visited state to a dict and back: {parameter: {name: value}}, plus values that belong to no
// parameter.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "host/trainer/saving/archive.hpp"
#include "host/trainer/state_visitor.hpp"

namespace strata::trainer {

class StateWriter : public StateVisitor {
 public:
  StateWriter() : all_(make_dict()), of_parameter_(all_) {}

  void parameter(const NamedParameter& parameter) override;
  void tensor(std::string_view name, at::Tensor& tensor, StateShape shape, TensorRole role) override;
  void constant(std::string_view, const at::Tensor&) override {}
  void integer(std::string_view name, std::int64_t& value) override;
  void generator(std::string_view name, at::Generator& generator) override;

  // Refers to the visited tensors, without copying.
  const Dict& dict() const { return all_; }

 private:
  // Throws std::logic_error if the name exists.
  void put(std::string_view name, c10::IValue value);

  Dict all_;
  Dict of_parameter_;  // inside it
};

// Restores what a StateWriter has written. Tensors are newly allocated on `device`, with their original
// storage, strides and offset: a view of a larger factor is a view again, because the memory it keeps alive
// counts, and sums depend on a matrix's strides. Throws std::invalid_argument if the dict was not written
// from the same state.
class StateReader : public StateVisitor {
 public:
  StateReader(const Dict& all, at::Device device) : all_(all), of_parameter_(all), device_(device) {}

  void parameter(const NamedParameter& parameter) override;
  void tensor(std::string_view name, at::Tensor& tensor, StateShape shape, TensorRole role) override;
  void constant(std::string_view, const at::Tensor&) override {}
  void integer(std::string_view name, std::int64_t& value) override;
  // Stays undefined if it was saved from another kind of device, whose generator state has another format.
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

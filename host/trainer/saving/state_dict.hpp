// SPDX-License-Identifier: Apache-2.0
// What is visited as a dict, and back: {parameter: {name: value}}, and what belongs to no parameter beside
// these.
#pragma once

#include <c10/core/Device.h>

#include <string>

#include "host/trainer/saving/archive.hpp"
#include "host/trainer/saving/state_visitor.hpp"

namespace strata::trainer {

class StateWriter : public StateVisitor {
 public:
  StateWriter() : all_(make_dict()), of_parameter_(all_) {}

  void parameter(const NamedParameter& parameter) override;
  void tensor(std::string_view name, at::Tensor& tensor, StateShape shape, TensorRole role) override;
  void constant(std::string_view, const at::Tensor&) override {}
  void integer(std::string_view name, std::int64_t& value) override;
  void generator(std::string_view name, at::Generator& generator) override;

  // Holds the tensors that were visited, not copies.
  const Dict& dict() const { return all_; }

 private:
  // Throws std::logic_error for a name that is there.
  void put(std::string_view name, c10::IValue value);

  Dict all_;
  Dict of_parameter_;  // within it
};

// Puts back what a StateWriter has written. Tensors get memory of their own on `device`, with the storage,
// strides and offset that they had: a view of a larger factor is a view again, because what it keeps alive
// counts, and sums depend on a matrix's strides. Throws std::invalid_argument where the dict was not written
// from the same state.
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

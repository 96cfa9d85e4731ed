// SPDX-License-Identifier: Apache-2.0
// Puts what is visited into a dict: {parameter: {name: value}}, and what is of no parameter beside these.
#pragma once

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

}  // namespace strata::trainer

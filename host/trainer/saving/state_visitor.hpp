// SPDX-License-Identifier: Apache-2.0
// How optimizers, their rules and the gradient scaler show the state that they keep between steps: to a
// visitor that names its tensors, writes it to a checkpoint, or restores it. One walk serves all three, so
// that they cannot differ.
#pragma once

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "strata/runtime/session.hpp"

namespace strata::trainer {

// A model's parameter and its name in it.
struct NamedParameter {
  std::string name;  // "layers.0.mlp.up_proj.weight"
  at::Tensor tensor;
};

// Whether a tensor has the sizes of the parameter that it is kept for, and its elements without gaps.
enum class StateShape { kOfParameter, kOther };

// Names are torch.optim's, have static storage, and come once for each parameter. A visitor may change what
// it is shown: one that reads a checkpoint puts in what was there when that was saved.
class StateVisitor {
 public:
  StateVisitor() = default;
  virtual ~StateVisitor() = default;
  StateVisitor(const StateVisitor&) = delete;
  StateVisitor& operator=(const StateVisitor&) = delete;

  // The state that follows belongs to this parameter.
  virtual void parameter(const NamedParameter& parameter) = 0;

  // Undefined while there is none.
  virtual void tensor(std::string_view name, at::Tensor& tensor, StateShape shape,
                      TensorRole role = TensorRole::kOptimizerState) = 0;
  // Kept too, but made by the configuration, so that no checkpoint has to hold it.
  virtual void constant(std::string_view name, const at::Tensor& tensor) = 0;
  virtual void integer(std::string_view name, std::int64_t& value) = 0;
  // One of the owner's own, on the device of its tensors; undefined while there is none.
  virtual void generator(std::string_view name, at::Generator& generator) = 0;
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// How optimizers, their rules and the gradient scaler expose their state between steps: to a visitor that
// names the tensors, writes them to a checkpoint, or restores them. One traversal serves all three, so that
// they cannot differ.
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

// Whether a tensor has the sizes of its parameter, with contiguous elements.
enum class StateShape { kOfParameter, kOther };

// Names are those of torch.optim, have static storage, and occur once per parameter. A visitor may modify
// what it is shown: when reading a checkpoint, it inserts the saved values.
class StateVisitor {
 public:
  StateVisitor() = default;
  virtual ~StateVisitor() = default;
  StateVisitor(const StateVisitor&) = delete;
  StateVisitor& operator=(const StateVisitor&) = delete;

  // The following state belongs to this parameter.
  virtual void parameter(const NamedParameter& parameter) = 0;

  // Undefined while there is none.
  virtual void tensor(std::string_view name, at::Tensor& tensor, StateShape shape,
                      TensorRole role = TensorRole::kOptimizerState) = 0;
  // Also kept, but determined by the configuration, so checkpoints need not contain it.
  virtual void constant(std::string_view name, const at::Tensor& tensor) = 0;
  virtual void integer(std::string_view name, std::int64_t& value) = 0;
  // The owner's own generator, on the device of its tensors; undefined while there is none.
  virtual void generator(std::string_view name, at::Generator& generator) = 0;
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// A model's parameter and its name in it.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

namespace strata::trainer {

struct NamedParameter {
  std::string name;  // "layers.0.mlp.up_proj.weight"
  at::Tensor tensor;
};

}  // namespace strata::trainer

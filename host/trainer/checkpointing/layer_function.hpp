// SPDX-License-Identifier: Apache-2.0
// A part of a model that can run more than once.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <string_view>
#include <vector>

namespace strata::trainer {

// One tensor to one tensor. It owns what it needs beside its argument: it may run again in backward, after
// the forward that made it has returned.
using LayerFunction = std::function<at::Tensor(const at::Tensor&)>;

// A tensor, defined or not, that a LayerFunction owns beside its argument: a mask.
struct OwnedTensor {
  std::string_view name;
  at::Tensor tensor;
};
using OwnedTensors = std::vector<OwnedTensor>;

}  // namespace strata::trainer

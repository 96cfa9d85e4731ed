// A part of a model that can run more than once.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

namespace strata::trainer {

// One tensor to one tensor. It owns what it needs beside its argument: it may run again in backward, after
// the forward that made it has returned.
using LayerFunction = std::function<at::Tensor(const at::Tensor&)>;

}  // namespace strata::trainer

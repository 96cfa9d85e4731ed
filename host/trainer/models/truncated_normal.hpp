// Initial weights drawn from a normal distribution around 0, cut off at three standard deviations.
#pragma once

#include <ATen/core/Tensor.h>

namespace strata::trainer {

// An uninitialised float32 tensor of `sizes` on `device`, then filled from the global generator: the same
// seed gives the values that torch.nn.init.trunc_normal_ gives in Python. On the meta device there is nothing
// to fill.
at::Tensor truncated_normal(at::IntArrayRef sizes, double standard_deviation, at::Device device);

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// Initial weights, drawn from the global generator: seed it first.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>

namespace strata::trainer {

// Each gives an uninitialised tensor of `sizes` with `options` that is then filled. On the meta device there
// is nothing to fill.

// From a normal distribution around 0, cut off at three standard deviations: the same seed gives the values
// that torch.nn.init.trunc_normal_ gives in Python.
at::Tensor truncated_normal(at::IntArrayRef sizes, double standard_deviation,
                            const at::TensorOptions& options);

// From a normal distribution around 0.
at::Tensor normal(at::IntArrayRef sizes, double standard_deviation, const at::TensorOptions& options);

// Evenly from -`limit` to `limit`.
at::Tensor uniform(at::IntArrayRef sizes, double limit, const at::TensorOptions& options);

}  // namespace strata::trainer

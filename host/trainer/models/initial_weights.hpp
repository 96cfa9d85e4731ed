// SPDX-License-Identifier: Apache-2.0
// Initial weights: drawn from the global generator (seed it first), or made from a hash.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>
#include <torch/nn/module.h>

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

// Fills all parameters in their order of registration, a tied weight once, with values that any program in
// any language can make again, to compare what two of them compute. On the meta device there is nothing to
// fill.
//
// Element j of parameter number i is
//   offset + scale * (hash(j, i) / 2^32 * 2 - 1)
// computed in double and rounded to the parameter's dtype. offset and scale are 0 and 0.05 for biases, 1 and
// 0.1 for other vectors, 0 and 0.5 for embeddings, 0 and 1.5 / sqrt(columns) for other matrices.
void fill_with_hash(torch::nn::Module& model);

}  // namespace strata::trainer

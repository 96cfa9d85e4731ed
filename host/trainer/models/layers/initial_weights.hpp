// SPDX-License-Identifier: Apache-2.0
// Initial weights: drawn from the global generator (seed it first), or computed with a hash.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/TensorOptions.h>
#include <torch/nn/module.h>

namespace strata::trainer {

// Each returns a new tensor of `sizes` with `options`, filled with values. On the meta device nothing is
// filled.

// From a normal distribution around 0, truncated at three standard deviations: the same seed gives the values
// of torch.nn.init.trunc_normal_ in Python.
at::Tensor truncated_normal(at::IntArrayRef sizes, double standard_deviation,
                            const at::TensorOptions& options);

// From a normal distribution around 0.
at::Tensor normal(at::IntArrayRef sizes, double standard_deviation, const at::TensorOptions& options);

// Uniform from -`limit` to `limit`.
at::Tensor uniform(at::IntArrayRef sizes, double limit, const at::TensorOptions& options);

// Fills all parameters in order of registration, a tied weight once, with values that a program in any
// language can reproduce, to compare the computations of two programs. On the meta device nothing is filled.
//
// Element j of parameter number i is
//   offset + scale * (hash(j, i) / 2^32 * 2 - 1)
// computed in double and rounded to the parameter's dtype. offset and scale are 0 and 0.05 for biases, 1 and
// 0.1 for other vectors, 0 and 0.5 for embeddings, 0 and 1.5 / sqrt(columns) for other matrices.
void fill_with_hash(torch::nn::Module& model);

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// Weights that any program in any language can make again, to compare what two of them compute.
//
// Element j of a model's parameter number i, in the order in which its modules are used, is
//   offset + scale * (hash(j, i) / 2^32 * 2 - 1)
// computed in double and rounded to the parameter's dtype. offset and scale are 0 and 0.05 for biases, 1 and
// 0.1 for other vectors, 0 and 0.5 for embeddings, 0 and 1.5 / sqrt(columns) for other matrices.
#pragma once

#include <torch/nn/module.h>

namespace strata::trainer {

// Fills all parameters in their order of registration. A tied weight is filled once. On the meta device there
// is nothing to fill.
void fill_with_hash(torch::nn::Module& model);

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// What one micro-batch is trained on.
#pragma once

#include <ATen/core/Tensor.h>

namespace strata::trainer {

// Each in a storage of its own; in one, their first dimension is as large.
struct Batch {
  at::Tensor input;   // int64 tokens [batch, context], or images [batch, 3, height, width]
  at::Tensor target;  // int64: what follows each token of `input`, or the class of each sample [batch]
};

}  // namespace strata::trainer

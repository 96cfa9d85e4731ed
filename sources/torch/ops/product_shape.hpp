// SPDX-License-Identifier: Apache-2.0
// The shape of an operator's product, from its inputs. Among operators that call each other (linear, addmm)
// it is known for those that call the libraries; a convolution counts as the product with its unfolded input.
#pragma once

#include <ATen/record_function.h>

#include "strata/ext/op.h"

namespace strata::torch_source {

// [any] Fills the product fields of `op`; leaves them 0 if the operator is not a known product or its sizes
// do not fit. For a callback that requested inputs.
void describe_product(const at::RecordFunction& function, strata_op_info& op) noexcept;

}  // namespace strata::torch_source

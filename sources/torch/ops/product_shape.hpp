// SPDX-License-Identifier: Apache-2.0
// What an operator multiplies, from its inputs. Of operators that call each other (linear, addmm) those that
// reach the libraries are known; a convolution is taken as the product of its unfolded input.
#pragma once

#include <ATen/record_function.h>

#include "strata/ext/op.h"

namespace strata::torch_source {

// [any] Fills the fields of `op` that tell of a product; leaves them 0 where it is none that is known, or one
// whose sizes do not fit. For a callback that asked for inputs.
void describe_product(const at::RecordFunction& function, strata_op_info& op) noexcept;

}  // namespace strata::torch_source

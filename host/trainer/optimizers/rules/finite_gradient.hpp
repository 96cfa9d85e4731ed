// SPDX-License-Identifier: Apache-2.0
// LAPACK and cuSOLVER say of a matrix that is not finite only that they did not converge, if they end at all.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace strata::trainer {

// Throws std::runtime_error, naming the optimizer, when an element is infinite or not a number. On a dry
// device, which reads zeros, every gradient is finite.
void require_finite(const at::Tensor& gradient, std::string_view optimizer);

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// Reports the trainer's tensors to a session.
#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

#include "strata/runtime/session.hpp"

namespace strata::trainer {

// [any] `tensor` must be defined. `owner` is the parameter to which it belongs, if any.
void report_tensor(Session& session, TensorRole role, std::string_view name, const at::Tensor& tensor,
                   const at::Tensor& owner = {});

}  // namespace strata::trainer

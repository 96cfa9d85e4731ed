// SPDX-License-Identifier: Apache-2.0
// torch.nn.utils.clip_grad_norm_.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace strata::trainer {

// Scales the gradients in place, so that the 2-norm of all of them together is at most `largest_norm`. All on
// one device and in one number format. Whether they have to be scaled is not read back: those that need not
// are multiplied by 1. A norm that is not finite makes them NaN, or 0, as it does there.
void clip_gradients(const std::vector<at::Tensor>& gradients, double largest_norm);

}  // namespace strata::trainer

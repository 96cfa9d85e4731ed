// SPDX-License-Identifier: Apache-2.0
// How attention's heads divide what a model is wide.
#pragma once

#include <ATen/core/Tensor.h>

namespace strata::trainer {

// [batch, tokens, heads * features] to [batch, heads, tokens, features], a view.
at::Tensor split_heads(const at::Tensor& x, std::int64_t features);

// For rotary embedding, which turns pairs of features. Throws std::invalid_argument when `features` is odd,
// with the keys.
void require_pairs(std::int64_t features);

}  // namespace strata::trainer

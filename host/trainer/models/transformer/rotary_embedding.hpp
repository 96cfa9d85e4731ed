// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding (arXiv:2104.09864): neighbouring features (2i, 2i + 1) of a token at position t
// are turned by the angle t * theta^(-2i / features).
#pragma once

#include <torch/nn/module.h>

namespace strata::trainer {

class RotaryEmbedding : public torch::nn::Module {
 public:
  // The buffer `cos_sin` [2, context, features / 2] is computed once, in float32 or better, and
  // belongs to no checkpoint. Throws
  // std::invalid_argument when `features` is odd.
  RotaryEmbedding(std::int64_t context, std::int64_t features, double theta,
                  const at::TensorOptions& options);

  // [..., tokens, features] to the same shape; the first token is at position 0. At most `context` tokens.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor cos_sin_;
};

}  // namespace strata::trainer

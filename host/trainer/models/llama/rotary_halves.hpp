// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding (arXiv:2104.09864) as transformers has it: feature i of a head's first half is
// turned together with feature i of its second half.
#pragma once

#include <torch/nn/module.h>

#include "host/trainer/models/model_site.hpp"

namespace strata::trainer {

// Of every token: cosine and sine of its angles, each [1, tokens, features].
struct Turns {
  at::Tensor cos;
  at::Tensor sin;
};

class RotaryHalves : public torch::nn::Module {
 public:
  // The buffer `inv_freq` [features / 2], float32 or better. Throws std::invalid_argument when `features` is
  // odd.
  RotaryHalves(std::int64_t features, double theta, const ModelSite& site);

  // Of tokens at positions 0 to `tokens` - 1, in `dtype`. No gradient.
  Turns forward(std::int64_t tokens, at::ScalarType dtype) const;

 private:
  at::Tensor inverse_frequencies_;
};

// `heads` [batch, heads, tokens, features], turned.
at::Tensor turn(const at::Tensor& heads, const Turns& turns);

}  // namespace strata::trainer

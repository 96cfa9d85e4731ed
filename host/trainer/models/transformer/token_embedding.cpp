// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/token_embedding.hpp"

#include "host/trainer/models/initial_weights.hpp"

namespace strata::trainer {

TokenEmbedding::TokenEmbedding(std::int64_t vocab, std::int64_t d_model, const ModelSite& site)
    : scope_(site.scope),
      weight_(register_parameter("weight", truncated_normal({vocab, d_model}, 1.0, site.tensors))) {}

at::Tensor TokenEmbedding::forward(const at::Tensor& tokens) const {
  const auto range = scope_.enter("TokenEmbedding");
  // Not weight_.index(): its backward adds with atomics when several threads run, so that two runs with the
  // same seed differ.
  return at::embedding(weight_, tokens);
}

}  // namespace strata::trainer

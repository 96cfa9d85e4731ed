#include "host/trainer/models/token_embedding.hpp"

#include <utility>

#include "host/trainer/models/truncated_normal.hpp"

namespace strata::trainer {

TokenEmbedding::TokenEmbedding(std::int64_t vocab, std::int64_t d_model, ModuleScope scope, at::Device device)
    : scope_(std::move(scope)),
      weight_(register_parameter("weight", truncated_normal({vocab, d_model}, 1.0, device))) {}

at::Tensor TokenEmbedding::forward(const at::Tensor& tokens) const {
  const auto range = scope_.enter("TokenEmbedding");
  // Not weight_.index(): its backward adds with atomics when several threads run, so that two runs with the
  // same seed differ.
  return at::embedding(weight_, tokens);
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/llama/llama_attention.hpp"

#include "host/trainer/models/adapters/block_linear.hpp"
#include "host/trainer/models/layers/heads.hpp"
#include "host/trainer/models/llama/llama.hpp"

namespace strata::trainer {

LlamaAttention::LlamaAttention(const ModelParts& parts, const ModelSite& site)
    : features_(features_of_head(parts.config)), scope_(site.scope), attention_(parts.attention, 0.0) {
  const config::ModelConfig& config = parts.config;
  const std::int64_t key_features = features_ * config.kv_heads;
  const bool bias = config.name == config::Architecture::kQwen;
  const auto projection = [&](const char* name, const Linear::Shape& shape) {
    return register_module(name, make_block_linear(parts, name, shape, kLlamaInitialDeviation, site));
  };
  query_projection_ = projection("q_proj", {config.d_model, config.d_model, bias});
  key_projection_ = projection("k_proj", {config.d_model, key_features, bias});
  value_projection_ = projection("v_proj", {config.d_model, key_features, bias});
  output_projection_ = projection("o_proj", {config.d_model, config.d_model});
}

at::Tensor LlamaAttention::forward(const at::Tensor& x, const DecoderInputs& inputs) const {
  const auto range = scope_.enter("LlamaAttention");
  at::Tensor query = split_heads(query_projection_->forward(x), features_);
  at::Tensor key = split_heads(key_projection_->forward(x), features_);
  const at::Tensor value = split_heads(value_projection_->forward(x), features_);
  query = turn(query, inputs.turns);
  key = turn(key, inputs.turns);
  return output_projection_->forward(attention_.forward(query, key, value, inputs.mask));
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "gpt.hpp"

#include <strata/trainer.h>

namespace {

torch::nn::LayerNorm norm_of(std::int64_t width) {
  return torch::nn::LayerNorm(torch::nn::LayerNormOptions({width}));
}

}  // namespace

BlockImpl::BlockImpl(const GptSize& size, std::string path)
    : heads_(size.heads),
      path_(std::move(path)),
      attention_norm_(register_module("attention_norm", norm_of(size.width))),
      mlp_norm_(register_module("mlp_norm", norm_of(size.width))),
      qkv_(register_module("qkv", torch::nn::Linear(size.width, 3 * size.width))),
      projection_(register_module("projection", torch::nn::Linear(size.width, size.width))),
      up_(register_module("up", torch::nn::Linear(size.width, 4 * size.width))),
      down_(register_module("down", torch::nn::Linear(4 * size.width, size.width))) {}

torch::Tensor BlockImpl::forward(const torch::Tensor& x) {
  STRATA_MODULE(path_, "Block");  // Strata: whose layer the activations are, by the names that attach() gives
  const auto attended = x + attend(attention_norm_->forward(x));
  return attended + down_->forward(torch::gelu(up_->forward(mlp_norm_->forward(attended))));
}

torch::Tensor BlockImpl::attend(const torch::Tensor& x) {
  const auto batch = x.size(0), context = x.size(1), width = x.size(2);
  const auto parts =
      qkv_->forward(x).view({batch, context, 3, heads_, width / heads_}).permute({2, 0, 3, 1, 4}).unbind(0);
  const auto mixed = torch::scaled_dot_product_attention(parts[0], parts[1], parts[2], {}, 0.0, true);
  return projection_->forward(mixed.transpose(1, 2).reshape({batch, context, width}));
}

GptImpl::GptImpl(const GptSize& size)
    : tokens_(register_module("tokens", torch::nn::Embedding(size.vocabulary, size.width))),
      positions_(register_module("positions", torch::nn::Embedding(size.context, size.width))),
      blocks_(register_module("blocks", torch::nn::ModuleList())),
      norm_(register_module("norm", norm_of(size.width))),
      head_(register_module("head", torch::nn::Linear(size.width, size.vocabulary))),
      places_(register_buffer("places", torch::arange(size.context))) {
  for (std::int64_t layer = 0; layer < size.layers; ++layer)
    blocks_->push_back(Block(size, "blocks." + std::to_string(layer)));
}

torch::Tensor GptImpl::forward(const torch::Tensor& tokens) {
  auto x = tokens_->forward(tokens) + positions_->forward(places_);
  for (const auto& block : *blocks_) x = block->as<Block>()->forward(x);
  STRATA_MODULE("head", "Linear");
  return head_->forward(norm_->forward(x));
}

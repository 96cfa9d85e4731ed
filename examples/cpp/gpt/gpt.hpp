// SPDX-License-Identifier: Apache-2.0
// A small GPT: learned positions, causal attention, a head that shares no weights.
#pragma once

#include <torch/torch.h>

#include <cstdint>
#include <string>

struct GptSize {
  std::int64_t vocabulary = 512, context = 64, layers = 3, heads = 4, width = 128;
};

struct BlockImpl : torch::nn::Module {
  BlockImpl(const GptSize& size, std::string path);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor attend(const torch::Tensor& x);

  std::int64_t heads_;
  std::string path_;
  torch::nn::LayerNorm attention_norm_, mlp_norm_;
  torch::nn::Linear qkv_, projection_, up_, down_;
};
TORCH_MODULE(Block);

struct GptImpl : torch::nn::Module {
  explicit GptImpl(const GptSize& size);
  // Tokens, int64 (batch, context), to logits (batch, context, vocabulary).
  torch::Tensor forward(const torch::Tensor& tokens);

 private:
  torch::nn::Embedding tokens_, positions_;
  torch::nn::ModuleList blocks_;
  torch::nn::LayerNorm norm_;
  torch::nn::Linear head_;
  torch::Tensor places_;
};
TORCH_MODULE(Gpt);

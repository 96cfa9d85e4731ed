// One pre-norm layer: x + attn(ln1(x)), and of that, h + ffn(ln2(h)).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/config/run_config.hpp"
#include "host/trainer/models/attention.hpp"
#include "host/trainer/models/module_scope.hpp"
#include "host/trainer/models/rms_norm.hpp"
#include "host/trainer/models/swiglu.hpp"

namespace strata::trainer {

class TransformerBlock : public torch::nn::Module {
 public:
  TransformerBlock(const config::ModelConfig& config, std::shared_ptr<const RotaryEmbedding> positions,
                   ModuleScope scope, at::Device device);

  // [batch, tokens, d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  ModuleScope scope_;
  std::shared_ptr<CausalSelfAttention> attention_;
  std::shared_ptr<SwiGlu> feed_forward_;
  std::shared_ptr<RmsNorm> attention_norm_;
  std::shared_ptr<RmsNorm> feed_forward_norm_;
};

}  // namespace strata::trainer

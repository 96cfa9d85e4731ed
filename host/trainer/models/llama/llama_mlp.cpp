// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/llama/llama_mlp.hpp"

#include "host/trainer/models/adapters/block_linear.hpp"
#include "host/trainer/models/llama/llama.hpp"

namespace strata::trainer {

LlamaMlp::LlamaMlp(const ModelParts& parts, const ModelSite& site)
    : frees_early_(parts.adapter.is_used()), scope_(site.scope) {
  const std::int64_t d_model = parts.config.d_model;
  const std::int64_t d_ff = parts.config.d_ff;
  const auto projection = [&](const char* name, std::int64_t from, std::int64_t to) {
    return register_module(name, make_block_linear(parts, name, {from, to}, kLlamaInitialDeviation, site));
  };
  gate_projection_ = projection("gate_proj", d_model, d_ff);
  up_projection_ = projection("up_proj", d_model, d_ff);
  down_projection_ = projection("down_proj", d_ff, d_model);
}

at::Tensor LlamaMlp::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("LlamaMlp");
  if (!frees_early_)
    return down_projection_->forward(at::silu(gate_projection_->forward(x)) * up_projection_->forward(x));
  // Not in one expression: the gate comes first, and what it and `up` were is freed before `down` runs.
  at::Tensor hidden = at::silu(gate_projection_->forward(x));
  hidden = hidden * up_projection_->forward(x);
  return down_projection_->forward(hidden);
}

}  // namespace strata::trainer

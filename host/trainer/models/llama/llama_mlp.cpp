// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/llama/llama_mlp.hpp"

#include "host/trainer/models/llama/llama.hpp"

namespace strata::trainer {

LlamaMlp::LlamaMlp(std::int64_t d_model, std::int64_t d_ff, const ModelSite& site) : scope_(site.scope) {
  const auto projection = [&](const char* name, std::int64_t from, std::int64_t to) {
    return register_module(
        name, std::make_shared<Linear>(Linear::Shape{from, to}, kLlamaInitialDeviation, site.child(name)));
  };
  gate_projection_ = projection("gate_proj", d_model, d_ff);
  up_projection_ = projection("up_proj", d_model, d_ff);
  down_projection_ = projection("down_proj", d_ff, d_model);
}

at::Tensor LlamaMlp::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("LlamaMlp");
  return down_projection_->forward(at::silu(gate_projection_->forward(x)) * up_projection_->forward(x));
}

}  // namespace strata::trainer

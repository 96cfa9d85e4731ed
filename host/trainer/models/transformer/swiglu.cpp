// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/transformer/swiglu.hpp"

namespace strata::trainer {

namespace {

// Spelt out, as the course has it: at::silu keeps one tensor of this size for backward, this keeps two.
at::Tensor sigmoid_linear_unit(const at::Tensor& x) {
  return x * at::sigmoid(x);
}

}  // namespace

SwiGlu::SwiGlu(std::int64_t d_model, std::int64_t d_ff, const ModelSite& site)
    : scope_(site.scope),
      w1_(register_module("w1", std::make_shared<EinsumLinear>(d_model, d_ff, site))),
      w2_(register_module("w2", std::make_shared<EinsumLinear>(d_ff, d_model, site))),
      w3_(register_module("w3", std::make_shared<EinsumLinear>(d_model, d_ff, site))) {}

at::Tensor SwiGlu::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("SwiGlu");
  return w2_->forward(sigmoid_linear_unit(w1_->forward(x)) * w3_->forward(x));
}

}  // namespace strata::trainer

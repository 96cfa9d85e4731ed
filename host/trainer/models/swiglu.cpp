#include "host/trainer/models/swiglu.hpp"

#include <utility>

namespace strata::trainer {

namespace {

// Spelt out, as the course has it: at::silu keeps one tensor of this size for backward, this keeps two.
at::Tensor sigmoid_linear_unit(const at::Tensor& x) {
  return x * at::sigmoid(x);
}

}  // namespace

SwiGlu::SwiGlu(std::int64_t d_model, std::int64_t d_ff, ModuleScope scope, at::Device device)
    : scope_(std::move(scope)),
      w1_(register_module("w1", std::make_shared<Linear>(d_model, d_ff, device))),
      w2_(register_module("w2", std::make_shared<Linear>(d_ff, d_model, device))),
      w3_(register_module("w3", std::make_shared<Linear>(d_model, d_ff, device))) {}

at::Tensor SwiGlu::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("SwiGlu");
  return w2_->forward(sigmoid_linear_unit(w1_->forward(x)) * w3_->forward(x));
}

}  // namespace strata::trainer

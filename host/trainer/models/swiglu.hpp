// The gated feed-forward layer (arXiv:2002.05202): w2(silu(w1 x) * w3 x).
#pragma once

#include <torch/nn/module.h>

#include <memory>

#include "host/trainer/models/linear.hpp"
#include "host/trainer/models/module_scope.hpp"

namespace strata::trainer {

class SwiGlu : public torch::nn::Module {
 public:
  SwiGlu(std::int64_t d_model, std::int64_t d_ff, ModuleScope scope, at::Device device);

  // [..., d_model] to the same shape.
  at::Tensor forward(const at::Tensor& x) const;

 private:
  ModuleScope scope_;
  std::shared_ptr<Linear> w1_;
  std::shared_ptr<Linear> w2_;
  std::shared_ptr<Linear> w3_;
};

}  // namespace strata::trainer

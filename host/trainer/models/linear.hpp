// y = x W^T, without bias.
#pragma once

#include <torch/nn/module.h>

namespace strata::trainer {

class Linear : public torch::nn::Module {
 public:
  // `weight` [out, in], drawn with the variance 2 / (in + out).
  Linear(std::int64_t in_features, std::int64_t out_features, at::Device device);

  // [..., in] to [..., out].
  at::Tensor forward(const at::Tensor& x) const;

 private:
  at::Tensor weight_;
};

}  // namespace strata::trainer

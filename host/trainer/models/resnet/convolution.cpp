// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/resnet/convolution.hpp"

#include <cmath>

#include "host/trainer/models/initial_weights.hpp"

namespace strata::trainer {

Convolution::Convolution(const Shape& shape, const ModelSite& site) : shape_(shape), scope_(site.scope) {
  const std::int64_t fan_out = shape.out_channels * shape.kernel * shape.kernel;
  weight_ =
      register_parameter("weight", normal({shape.out_channels, shape.in_channels, shape.kernel, shape.kernel},
                                          std::sqrt(2.0 / static_cast<double>(fan_out)), site.tensors));
}

at::Tensor Convolution::forward(const at::Tensor& x) const {
  const auto range = scope_.enter("Convolution");
  return at::conv2d(x, weight_, /*bias=*/std::nullopt, shape_.stride, /*padding=*/shape_.kernel / 2);
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/resnet/batch_norm.hpp"

namespace strata::trainer {

BatchNorm::BatchNorm(std::int64_t channels, const ModelSite& site)
    : scope_(site.scope),
      weight_(register_parameter("weight", at::ones({channels}, site.tensors))),
      bias_(register_parameter("bias", at::zeros({channels}, site.tensors))),
      running_mean_(register_buffer("running_mean", at::zeros({channels}, site.tensors))),
      running_variance_(register_buffer("running_var", at::ones({channels}, site.tensors))),
      batches_seen_(register_buffer("num_batches_tracked", at::zeros({}, site.tensors.dtype(at::kLong)))) {}

at::Tensor BatchNorm::forward(const at::Tensor& x) {
  const auto range = scope_.enter("BatchNorm");
  batches_seen_.add_(1);
  return at::batch_norm(x, weight_, bias_, running_mean_, running_variance_, /*training=*/true,
                        /*momentum=*/0.1, /*eps=*/1e-5, at::globalContext().userEnabledCuDNN());
}

}  // namespace strata::trainer

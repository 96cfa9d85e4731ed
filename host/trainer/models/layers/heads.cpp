// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/models/layers/heads.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace strata::trainer {

at::Tensor split_heads(const at::Tensor& x, std::int64_t features) {
  return x.unflatten(-1, {-1, features}).transpose(1, 2);
}

void require_pairs(std::int64_t features) {
  if (features % 2 == 0) return;
  throw std::invalid_argument(
      fmt::format("rotary embedding rotates pairs of features, but a head has {} features. Choose "
                  "model.d_model and model.heads so that d_model / heads is even.",
                  features));
}

}  // namespace strata::trainer

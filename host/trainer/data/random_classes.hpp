// SPDX-License-Identifier: Apache-2.0
// Classes for samples that have none.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace strata::trainer {

// int64 [samples], each below `classes`: of the samples from number `first` on, the same for the same `seed`.
at::Tensor random_classes(std::uint64_t first, std::int64_t samples, std::int64_t classes,
                          std::uint64_t seed);

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/random_classes.hpp"

#include <ATen/ATen.h>

#include "host/trainer/data/sequence_hash.hpp"

namespace strata::trainer {

at::Tensor random_classes(std::uint64_t first, std::int64_t samples, std::int64_t classes,
                          std::uint64_t seed) {
  // A stream of its own: samples are drawn with the seed itself.
  constexpr std::uint64_t kOfClasses = 0x636c6173;
  at::Tensor drawn = at::empty({samples}, at::kLong);
  auto* values = drawn.mutable_data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::uint64_t number = draw(seed ^ kOfClasses, first + static_cast<std::uint64_t>(i));
    values[i] = static_cast<std::int64_t>(number % static_cast<std::uint64_t>(classes));
  }
  return drawn;
}

}  // namespace strata::trainer

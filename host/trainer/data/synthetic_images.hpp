// SPDX-License-Identifier: Apache-2.0
// Images of random pixels, for memory does not depend on what they show.
#pragma once

#include "host/trainer/data/batch_source.hpp"

namespace strata::trainer {

class SyntheticImages : public BatchSource {
 public:
  // Square images of `size` pixels, in three colours, uniform from -1 to 1, in `dtype`.
  SyntheticImages(std::int64_t size, std::int64_t classes, at::ScalarType dtype, std::uint64_t seed);

  Batch read(std::uint64_t first, std::int64_t samples) const override;
  std::string description() const override;

 private:
  std::int64_t size_;
  std::int64_t classes_;
  at::ScalarType dtype_;
  std::uint64_t seed_;
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/synthetic_images.hpp"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <fmt/format.h>

#include "host/trainer/data/random_classes.hpp"
#include "host/trainer/data/sequence_hash.hpp"

namespace strata::trainer {

SyntheticImages::SyntheticImages(std::int64_t size, std::int64_t classes, at::ScalarType dtype,
                                 std::uint64_t seed)
    : size_(size), classes_(classes), dtype_(dtype), seed_(seed) {}

Batch SyntheticImages::read(std::uint64_t first, std::int64_t samples) const {
  Batch batch{at::empty({samples, 3, size_, size_}, dtype_), random_classes(first, samples, classes_, seed_)};
  for (std::int64_t i = 0; i < samples; ++i) {
    const auto generator = at::detail::createCPUGenerator(draw(seed_, first + static_cast<std::uint64_t>(i)));
    batch.input[i].uniform_(-1.0, 1.0, generator);
  }
  return batch;
}

std::string SyntheticImages::description() const {
  return fmt::format("synthetic: images of {} x {} random pixels", size_, size_);
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// Which of a source's samples the run's number so-and-so is.
#pragma once

#include <cstdint>

#include "host/config/run_config.hpp"
#include "host/trainer/data/sequence_hash.hpp"

namespace strata::trainer {

class SampleOrder {
 public:
  // Of `samples`, at least one. kRandom: each is drawn from all, by `seed`, so that one may come twice before
  // another comes once. kSequential: one after the other, and again from the first.
  SampleOrder(config::DataOrder order, std::uint64_t samples, std::uint64_t seed)
      : order_(order), samples_(samples), seed_(seed) {}

  std::uint64_t sample(std::uint64_t number) const {
    return (order_ == config::DataOrder::kSequential ? number : draw(seed_, number)) % samples_;
  }

 private:
  config::DataOrder order_;
  std::uint64_t samples_;
  std::uint64_t seed_;
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/synthetic_source.hpp"

#include <fmt/format.h>

#include "host/trainer/data/sequence_hash.hpp"

namespace strata::trainer {

SyntheticSource::SyntheticSource(std::int64_t vocab, std::uint64_t seed)
    : vocab_(static_cast<std::uint64_t>(vocab)), seed_(seed) {}

void SyntheticSource::read(std::uint64_t sequence, std::span<std::int64_t> tokens) const {
  std::uint64_t position = sequence * tokens.size();
  for (std::int64_t& token : tokens) token = static_cast<std::int64_t>(draw(seed_, position++) % vocab_);
}

std::string SyntheticSource::description() const {
  return fmt::format("synthetic: uniform over {} tokens", vocab_);
}

}  // namespace strata::trainer

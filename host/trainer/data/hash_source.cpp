// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/data/hash_source.hpp"

#include <fmt/format.h>

#include "host/trainer/data/integer_hash.hpp"

namespace strata::trainer {

HashSource::HashSource(std::int64_t vocab, std::uint64_t sequences_of_step)
    : vocab_(static_cast<std::uint32_t>(vocab)), sequences_of_step_(sequences_of_step) {}

void HashSource::read(std::uint64_t sequence, std::span<std::int64_t> tokens) const {
  const auto series = static_cast<std::uint32_t>(1000 + sequence / sequences_of_step_);
  auto element = static_cast<std::uint32_t>(sequence % sequences_of_step_ * tokens.size());
  for (std::int64_t& token : tokens) token = integer_hash(element++, series) % vocab_;
}

std::string HashSource::description() const {
  return fmt::format("hash: {} sequences a step over {} tokens", sequences_of_step_, vocab_);
}

}  // namespace strata::trainer

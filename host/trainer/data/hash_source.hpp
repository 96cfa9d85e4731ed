// SPDX-License-Identifier: Apache-2.0
// The tokens that make_numerics.py trains on: numbers that any language computes alike.
#pragma once

#include "host/trainer/data/token_source.hpp"

namespace strata::trainer {

class HashSource : public TokenSource {
 public:
  // Step s has `sequences_of_step` sequences; token t of its sequence r is
  // integer_hash(r * tokens + t, 1000 + s) % vocab.
  HashSource(std::int64_t vocab, std::uint64_t sequences_of_step);

  void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const override;
  std::string description() const override;

 private:
  std::uint32_t vocab_;
  std::uint64_t sequences_of_step_;
};

}  // namespace strata::trainer

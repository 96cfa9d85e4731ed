// SPDX-License-Identifier: Apache-2.0
// Tokens that mean nothing, uniform over the vocabulary: for measurements that need no text.
#pragma once

#include "host/trainer/data/token_source.hpp"

namespace strata::trainer {

class SyntheticSource : public TokenSource {
 public:
  SyntheticSource(std::int64_t vocab, std::uint64_t seed);

  void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const override;
  std::string description() const override;

 private:
  std::uint64_t vocab_;
  std::uint64_t seed_;
};

}  // namespace strata::trainer

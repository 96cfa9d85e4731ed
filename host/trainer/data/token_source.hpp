// SPDX-License-Identifier: Apache-2.0
// Where sequences of tokens come from.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace strata::trainer {

class TokenSource {
 public:
  TokenSource() = default;
  virtual ~TokenSource() = default;
  TokenSource(const TokenSource&) = delete;
  TokenSource& operator=(const TokenSource&) = delete;

  // [any] Fills `tokens` with the run's sequence number `sequence`. The same number always gives the same
  // tokens, in whatever order sequences are asked for.
  virtual void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const = 0;

  // One line for the manifest: "text: 1048576 tokens of 12 files".
  virtual std::string description() const = 0;
};

}  // namespace strata::trainer

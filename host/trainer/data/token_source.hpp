// Where the training's sequences of tokens come from.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "host/config/run_config.hpp"

namespace strata::trainer {

class TokenSource {
 public:
  TokenSource() = default;
  virtual ~TokenSource() = default;
  TokenSource(const TokenSource&) = delete;
  TokenSource& operator=(const TokenSource&) = delete;

  // Fills `tokens` with the run's sequence number `sequence`. The same number always gives the same tokens,
  // in whatever order sequences are asked for.
  virtual void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const = 0;

  // One line for the manifest: "text: 1048576 tokens of 12 files".
  virtual std::string description() const = 0;
};

// The source that `config.data` names. Sequences will have `model.context` + 1 tokens, one more than the
// model sees, for the target. Throws DataError.
std::unique_ptr<TokenSource> open_token_source(const config::RunConfig& config);

}  // namespace strata::trainer

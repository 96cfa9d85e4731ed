// Real text: each sequence starts at a place in the files drawn from the seed.
#pragma once

#include "host/trainer/data/token_files.hpp"
#include "host/trainer/data/token_source.hpp"

namespace strata::trainer {

class TextSource : public TokenSource {
 public:
  // Reads `data.files`. Throws DataError when one cannot be used, or when they hold fewer than
  // `sequence_tokens` tokens together.
  TextSource(const config::DataConfig& data, std::uint64_t sequence_tokens, std::uint64_t seed);

  void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const override;
  std::string description() const override;

 private:
  std::size_t file_count_;
  TokenFiles files_;
  std::uint64_t seed_;
};

}  // namespace strata::trainer

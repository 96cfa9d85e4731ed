// SPDX-License-Identifier: Apache-2.0
// Real text. In random order each sequence starts at any token of the files, drawn from the seed; in
// sequential order each where the last one ended, and again at the beginning when no whole one is left.
#pragma once

#include "host/trainer/data/sample_order.hpp"
#include "host/trainer/data/token_files.hpp"
#include "host/trainer/data/token_source.hpp"

namespace strata::trainer {

struct TextSequence {
  std::uint64_t tokens = 0;  // of one sequence, its last target included
  std::uint64_t stride = 0;  // kSequential: from the beginning of one to that of the next
};

class TextSource : public TokenSource {
 public:
  // Reads `data.files`. Throws DataError when one cannot be used, or when they hold fewer than
  // one sequence's tokens together.
  TextSource(const config::DataConfig& data, const TextSequence& sequence, std::uint64_t seed);

  void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const override;
  std::string description() const override;

 private:
  std::size_t file_count_;
  TokenFiles files_;
  std::uint64_t stride_;
  SampleOrder starts_;
};

}  // namespace strata::trainer

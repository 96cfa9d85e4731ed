// SPDX-License-Identifier: Apache-2.0
// Real text, of files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/data/draws.hpp"
#include "host/trainer/data/mapped_file.hpp"
#include "host/trainer/data/token_batches.hpp"

namespace strata::trainer {

// Many files read as one row of tokens, in the order given. Nothing is copied: the files stay mapped.
class TokenFiles {
 public:
  // kBytes: a byte is a token. kUint16: two bytes are one, in the order of this machine, as numpy's `tofile`
  // writes them. At most `max_bytes` are used, 0 for all. Empty files add nothing. Throws DataError when a
  // file cannot be read or, for kUint16, has an odd number of bytes.
  TokenFiles(const std::vector<std::filesystem::path>& paths, config::TokenFormat format,
             std::uint64_t max_bytes);

  std::uint64_t size() const { return size_; }

  // Copies the tokens from `first` on, across the ends of files. `first + tokens.size()` must not exceed
  // `size()`.
  void read(std::uint64_t first, std::span<std::int64_t> tokens) const;

 private:
  struct Part {
    std::uint64_t first_token;
    std::uint64_t tokens;
    MappedFile file;
  };

  config::TokenFormat format_;
  std::uint64_t size_ = 0;
  std::vector<Part> parts_;
};

struct TextSequence {
  std::uint64_t tokens = 0;  // of one sequence, its last target included
  std::uint64_t stride = 0;  // kSequential: from the beginning of one to that of the next
};

// In random order each sequence starts at any token of the files, drawn from the seed; in sequential order
// each where the last one ended, and again at the beginning when no whole one is left.
class TextReader : public TokenReader {
 public:
  // Reads `data.files`. Throws DataError when one cannot be used, or when they hold fewer than
  // one sequence's tokens together.
  TextReader(const config::DataConfig& data, const TextSequence& sequence, std::uint64_t seed);

  void read(std::uint64_t sequence, std::span<std::int64_t> tokens) const override;
  std::string description() const override;

 private:
  std::size_t file_count_;
  TokenFiles files_;
  std::uint64_t stride_;
  SampleOrder starts_;
};

}  // namespace strata::trainer

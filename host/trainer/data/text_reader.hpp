// SPDX-License-Identifier: Apache-2.0
// Text from files.
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

// Many files as one sequence of tokens, in the given order. The files are mapped, not copied.
class TokenFiles {
 public:
  // kBytes: each byte is a token. kUint16: each two bytes are one, in this machine's byte order, as written
  // by numpy's `tofile`. At most `max_bytes` are used; 0: all. Empty files add nothing. Throws DataError if a
  // file cannot be read or, for kUint16, has an odd number of bytes.
  TokenFiles(const std::vector<std::filesystem::path>& paths, config::TokenFormat format,
             std::uint64_t max_bytes);

  std::uint64_t size() const { return size_; }

  // Copies the tokens from `first`, across file boundaries. `first + tokens.size()` must not exceed `size()`.
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
  std::uint64_t tokens = 0;  // per sequence, including its last target
  std::uint64_t stride = 0;  // kSequential: distance between the begins of sequences
};

// In random order each sequence starts at a random token of the files, drawn from the seed. In sequential
// order each starts where the previous one ended, and at the beginning again if there is no complete one
// left.
class TextReader : public TokenReader {
 public:
  // Reads `data.files`. Throws DataError if one is unusable, or if together they have fewer tokens than one
  // sequence.
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

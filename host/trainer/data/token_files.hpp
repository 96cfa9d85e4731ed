// SPDX-License-Identifier: Apache-2.0
// Many files read as one row of tokens, in the order given. Nothing is copied: the files stay mapped.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/data/mapped_file.hpp"

namespace strata::trainer {

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

}  // namespace strata::trainer

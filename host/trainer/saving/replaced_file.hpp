// SPDX-License-Identifier: Apache-2.0
// A file that is there as a whole or not at all.
#pragma once

#include <cstddef>
#include <filesystem>

namespace strata::trainer {

// Written as <file>.part; takes the place of `file` when all of it is on the disk. Until then it goes with
// this object, and what was there before stays.
class ReplacedFile {
 public:
  explicit ReplacedFile(std::filesystem::path file);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  // Does nothing once it has failed. Never throws: the zip writer that calls it does not survive that.
  void write(const void* bytes, std::size_t count) noexcept;
  bool has_failed() const noexcept { return error_ != 0; }

  // Throws CheckpointError, with the first failure of all.
  void replace();

 private:
  void keep_error(bool failed) noexcept;

  std::filesystem::path file_;
  std::filesystem::path part_;
  int descriptor_ = -1;
  int error_ = 0;  // the first one's errno
};

}  // namespace strata::trainer

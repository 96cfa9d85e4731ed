// SPDX-License-Identifier: Apache-2.0
// Saves a dict of tensors, integers, texts, lists and nested dicts as one file in the format of torch.save.
// Python's torch.load can read it, also with weights_only.
#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>

#include <cstddef>
#include <filesystem>
#include <stdexcept>

namespace strata::trainer {

// A checkpoint that cannot be written, read, or resumed from. The message contains the file, the reason and
// the remedy.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file that exists completely or not at all: written as <file>.part, it replaces `file` when everything is
// on disk. Until then it is removed with this object, and the previous file remains.
class ReplacedFile {
 public:
  explicit ReplacedFile(std::filesystem::path file);
  ~ReplacedFile();
  ReplacedFile(const ReplacedFile&) = delete;
  ReplacedFile& operator=(const ReplacedFile&) = delete;

  // No effect after a failure. Never throws, because the calling zip writer does not handle exceptions.
  void write(const void* bytes, std::size_t count) noexcept;
  bool has_failed() const noexcept { return error_ != 0; }

  // Throws CheckpointError with the first failure.
  void replace();

 private:
  void keep_error(bool failed) noexcept;

  std::filesystem::path file_;
  std::filesystem::path part_;
  int descriptor_ = -1;
  int error_ = 0;  // errno of the first one
};

using Dict = c10::impl::GenericDict;  // from text to anything

Dict make_dict();

// Writes to a temporary file next to `file`, syncs it, and renames it: if the process is killed, the previous
// file remains, or none. A tensor's whole storage is written, once for all tensors that share it; one on a
// CUDA device is copied to the host when its turn comes, and is a CPU tensor in the file. Throws
// CheckpointError, without leaving a partial file, if writing fails.
void write_archive(const std::filesystem::path& file, const Dict& contents);

// The tensors use the file itself, which is mapped read-only as long as any of them exists: they need no
// memory. Throws DataError if it cannot be opened, CheckpointError for any file other than a complete archive
// of a dict.
Dict read_archive(const std::filesystem::path& file);

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// A dict of tensors, integers, texts, lists and further dicts as one file, in torch.save's form: Python's
// torch.load reads it, with weights_only too.
#pragma once

#include <ATen/core/Dict.h>
#include <ATen/core/ivalue.h>

#include <cstddef>
#include <filesystem>
#include <stdexcept>

namespace strata::trainer {

// A checkpoint that cannot be written, read, or gone on with. The message says which, why, and what to do.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A file that is there as a whole or not at all: written as <file>.part, it takes the place of `file` when
// all of it is on the disk. Until then it goes with this object, and what was there before stays.
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

using Dict = c10::impl::GenericDict;  // from text to anything

Dict make_dict();

// Writes to a file beside `file`, to the disk, and renames it: a process that is killed here leaves the
// previous file, or none. A tensor's whole storage is written, once for all tensors that share it; one on a
// CUDA device is copied to the host when its turn comes, and is a CPU tensor in the file. Throws
// CheckpointError where it cannot be written, and leaves nothing of it.
void write_archive(const std::filesystem::path& file, const Dict& contents);

// The tensors lie in the file itself, which is mapped read-only as long as any of them exists: they take no
// memory. Throws DataError where it cannot be opened, CheckpointError for any other file than a whole archive
// of a dict.
Dict read_archive(const std::filesystem::path& file);

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// A file mapped into memory for reading, so that a large one needs no memory of its own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

namespace strata::snapshot {

class MappedFile {
 public:
  // Throws SnapshotError if it cannot be read or is empty.
  explicit MappedFile(const std::filesystem::path& file);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  // If the file is cut short while this is read, the process receives SIGBUS.
  std::span<const std::byte> bytes() const { return bytes_; }
  // The first `bytes` were read: their pages need not stay in memory. They are read again if necessary.
  void give_back(std::size_t bytes) const;

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace strata::snapshot

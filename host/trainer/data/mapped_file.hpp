// SPDX-License-Identifier: Apache-2.0
// A file's bytes, mapped read-only. Unread parts are not loaded, so a file may be larger than memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace strata::trainer {

class MappedFile {
 public:
  // Throws DataError, which names `key` of the configuration, if the file cannot be opened or mapped. An
  // empty file has no bytes.
  explicit MappedFile(const std::filesystem::path& path, std::string_view key = "data.path");
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  // Page-aligned, and thus aligned for any token type. Valid as long as this object; reading a file that was
  // truncated meanwhile raises SIGBUS.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace strata::trainer

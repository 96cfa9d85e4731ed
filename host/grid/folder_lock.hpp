// SPDX-License-Identifier: Apache-2.0
// Ensures that only one grid at a time writes to a folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace strata::grid {

// Held as long as this object lives; the kernel releases it when the process dies, however that happens.
class FolderLock {
 public:
  // Empty if another process holds it. Throws WriteError if locking is impossible.
  static std::optional<FolderLock> take(const std::filesystem::path& folder);

  // Shared with others whose work in the folder is independent. Empty if it is still held exclusively after
  // `patience`.
  static std::optional<FolderLock> share(const std::filesystem::path& folder,
                                         std::chrono::milliseconds patience);

  // The holder of the folder's lock, in words ("process 312 on host nyx since 2026-11-23T10:15:00Z"). Empty
  // if it is free or only shared.
  static std::string holder(const std::filesystem::path& folder);

  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace strata::grid

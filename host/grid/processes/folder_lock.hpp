// SPDX-License-Identifier: Apache-2.0
// One grid at a time writes a folder.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace strata::grid {

// Held for as long as this lives; the kernel lets go of it when the process dies, however that happens.
class FolderLock {
 public:
  // None when another process holds it. Throws WriteError when there can be no lock.
  static std::optional<FolderLock> take(const std::filesystem::path& folder);

  // With others that share it: what each does in the folder does not touch what the others do. None while
  // somebody has it alone, for at most `patience`.
  static std::optional<FolderLock> share(const std::filesystem::path& folder,
                                         std::chrono::milliseconds patience);

  // Who holds the lock of the folder, in words ("process 312 on host nyx since 2026-11-23T10:15:00Z"); empty:
  // nobody, or only those that share it.
  static std::string holder(const std::filesystem::path& folder);

  ~FolderLock();
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace strata::grid

// SPDX-License-Identifier: Apache-2.0
// An exclusive lock on a file (flock). The kernel releases it when the process that took it dies, however
// that happens, and even if its pid is reused: so the lock also shows whether that process is alive.
#pragma once

#include <filesystem>
#include <optional>

namespace strata {

class FileLock {
 public:
  // Creates the file if necessary. Empty if the lock is already held. Throws std::system_error.
  static std::optional<FileLock> take_now(const std::filesystem::path& file);
  // Waits until the lock is free.
  static FileLock wait_for(const std::filesystem::path& file);
  // Whether the lock is held. Neither creates the file nor writes to it, but shares the lock for an instant:
  // an attempt to take it just then finds it held. False if the file cannot be opened.
  static bool is_held(const std::filesystem::path& file);

  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

  // A forked child must close it, because an inherited descriptor also holds the lock.
  int descriptor() const noexcept { return descriptor_; }

 private:
  explicit FileLock(const std::filesystem::path& file);
  // False if the lock is held and `operation` does not wait.
  bool lock(int operation, const std::filesystem::path& file);

  int descriptor_;
};

}  // namespace strata

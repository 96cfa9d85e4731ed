// SPDX-License-Identifier: Apache-2.0
// An exclusive lock on a file (flock). The kernel lets go of it when the process that took it dies, however
// that happens and whoever gets its id afterwards: so it also tells whether that process lives.
#pragma once

#include <filesystem>
#include <optional>

namespace strata {

class FileLock {
 public:
  // Creates the file if need be. None when somebody holds the lock. Throws std::system_error.
  static std::optional<FileLock> take_now(const std::filesystem::path& file);
  // Waits for whoever holds the lock.
  static FileLock wait_for(const std::filesystem::path& file);
  // Whether somebody holds the lock. Neither creates the file nor writes to it, and for an instant shares the
  // lock: who would take it just then finds it held. False where the file cannot be opened.
  static bool is_held(const std::filesystem::path& file);

  ~FileLock();
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&&) = delete;

  // A forked child must close it: an inherited descriptor holds the lock as well.
  int descriptor() const noexcept { return descriptor_; }

 private:
  explicit FileLock(const std::filesystem::path& file);
  // False when the lock is held and `operation` does not wait.
  bool lock(int operation, const std::filesystem::path& file);

  int descriptor_;
};

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/file_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace strata {

FileLock::FileLock(const std::filesystem::path& file)
    : descriptor_(open(file.c_str(), O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "open " + file.string());
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock::~FileLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool FileLock::lock(int operation, const std::filesystem::path& file) {
  while (flock(descriptor_, operation) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "lock " + file.string());
  }
  return true;
}

std::optional<FileLock> FileLock::take_now(const std::filesystem::path& file) {
  FileLock lock(file);
  if (!lock.lock(LOCK_EX | LOCK_NB, file)) return std::nullopt;
  return lock;
}

FileLock FileLock::wait_for(const std::filesystem::path& file) {
  FileLock lock(file);
  lock.lock(LOCK_EX, file);
  return lock;
}

bool FileLock::is_held(const std::filesystem::path& file) {
  const int descriptor = open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return false;
  const bool held = flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(descriptor);
  return held;
}

}  // namespace strata

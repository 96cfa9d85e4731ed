// SPDX-License-Identifier: Apache-2.0
#include "host/grid/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <thread>
#include <utility>

#include "host/grid/cell_state.hpp"
#include "host/grid/processes/durable_file.hpp"
#include "host/grid/processes/host_name.hpp"

namespace strata::grid {
namespace {

// A process that only queries the holder also takes the lock for a moment.
constexpr int kAttempts = 5;

std::filesystem::path lock_file(const std::filesystem::path& folder) {
  return folder / "grid.lock";
}

}  // namespace

std::optional<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  const std::filesystem::path file = lock_file(folder);
  const int descriptor = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (descriptor < 0) throw WriteError(file, errno);
  FolderLock lock(descriptor);
  for (int attempt = 0; flock(descriptor, LOCK_EX | LOCK_NB) != 0; ++attempt) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw WriteError(file, errno);
    if (attempt == kAttempts) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const std::string owner = fmt::format("process {} on host {} since {}", getpid(), host_name(), utc_now());
  // Only to be read by people: a full disk does not matter.
  const bool noted = ftruncate(descriptor, 0) == 0 && pwrite(descriptor, owner.data(), owner.size(), 0) > 0;
  static_cast<void>(noted);
  return lock;
}

std::optional<FolderLock> FolderLock::share(const std::filesystem::path& folder,
                                            std::chrono::milliseconds patience) {
  const std::filesystem::path file = lock_file(folder);
  const int descriptor = open(file.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0644);
  if (descriptor < 0) throw WriteError(file, errno);
  FolderLock lock(descriptor);
  const auto end = std::chrono::steady_clock::now() + patience;
  while (flock(descriptor, LOCK_SH | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) throw WriteError(file, errno);
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return lock;
}

std::string FolderLock::holder(const std::filesystem::path& folder) {
  const int descriptor = open(lock_file(folder).c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return {};
  const FolderLock probe(descriptor);
  if (flock(descriptor, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK) return {};
  std::array<char, 256> text{};
  const ssize_t count = pread(descriptor, text.data(), text.size(), 0);
  return count > 0 ? std::string(text.data(), static_cast<std::size_t>(count)) : "another process";
}

FolderLock::FolderLock(FolderLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FolderLock::~FolderLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace strata::grid

// SPDX-License-Identifier: Apache-2.0
#include "host/snapshot/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "host/snapshot/snapshot_error.hpp"

namespace strata::snapshot {

MappedFile::MappedFile(const std::filesystem::path& file) {
  const auto fail = [&] {
    return SnapshotError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  };
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw fail();
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) {
    const SnapshotError error = fail();
    ::close(descriptor);
    throw error;
  }
  if (!S_ISREG(status.st_mode) || status.st_size == 0) {
    ::close(descriptor);
    throw SnapshotError(fmt::format("{}: {}, so it is not a snapshot of torch.cuda.memory", file.string(),
                                    status.st_size == 0 ? "is empty" : "is not a file"));
  }
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  const SnapshotError error = fail();
  ::close(descriptor);
  if (memory == MAP_FAILED) throw error;
  ::madvise(memory, size, MADV_SEQUENTIAL);
  bytes_ = {static_cast<const std::byte*>(memory), size};
}

void MappedFile::give_back(std::size_t bytes) const {
  constexpr std::size_t kPage = 4096;
  ::madvise(const_cast<std::byte*>(bytes_.data()), bytes / kPage * kPage, MADV_DONTNEED);
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace strata::snapshot

// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/private_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <system_error>

namespace strata {
namespace {

// Errno; 0: all is written.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace

int create_private_file(const std::filesystem::path& file) noexcept {
  return ::open(file.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
}

void write_private_file(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path part = file;
  part += ".part";
  ::unlink(part.c_str());  // of a process that was killed
  const int descriptor = create_private_file(part);
  int error = descriptor < 0 ? errno : write_all(descriptor, text);
  if (descriptor >= 0 && ::close(descriptor) != 0 && error == 0 && errno != EINTR) error = errno;
  if (error == 0 && ::rename(part.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return;
  if (descriptor >= 0) ::unlink(part.c_str());
  throw std::system_error(error, std::generic_category(), fmt::format("cannot write {}", file.string()));
}

}  // namespace strata

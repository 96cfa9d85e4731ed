// SPDX-License-Identifier: Apache-2.0
#include "host/grid/processes/durable_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>

namespace strata::grid {
namespace {

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags)
      : number_(open(file.c_str(), flags | O_CLOEXEC, 0644)) {
    if (number_ < 0) throw WriteError(file, errno);
  }
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  // 0, or the error.
  int write_all(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = write(number_, text.data(), text.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno;
      text.remove_prefix(static_cast<std::size_t>(count));
    }
    return 0;
  }
  int to_disk() const { return fsync(number_) == 0 ? 0 : errno; }

 private:
  int number_;
};

}  // namespace

bool means_no_room(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG;
}

WriteError::WriteError(const std::filesystem::path& file, int error)
    : std::runtime_error(fmt::format("cannot write {}: {}", file.string(), std::strerror(error))),
      no_room_(means_no_room(error)) {}

void write_durably(const std::filesystem::path& file, std::string_view text) {
  std::filesystem::path part = file;
  part += ".part";
  unlink(part.c_str());  // of a runner that was killed; or a link, which is not to be written through
  int error = 0;
  {
    const Descriptor out(part, O_WRONLY | O_CREAT | O_EXCL);
    error = out.write_all(text);
    if (error == 0) error = out.to_disk();
  }
  if (error == 0 && rename(part.c_str(), file.c_str()) != 0) error = errno;
  if (error != 0) {
    unlink(part.c_str());
    throw WriteError(file, error);
  }
  // Also sync the name. Some file systems cannot, and are only as durable as they are.
  Descriptor(file.parent_path(), O_RDONLY | O_DIRECTORY).to_disk();
}

std::string read_if_there(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in && errno == ENOENT) return {};
  std::string text{std::istreambuf_iterator<char>(in), {}};
  if (in.bad() || !in)
    throw std::runtime_error(fmt::format("cannot read {}: {}", file.string(), std::strerror(errno)));
  return text;
}

}  // namespace strata::grid

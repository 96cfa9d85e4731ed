// SPDX-License-Identifier: Apache-2.0
#include "host/cli/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "host/cli/usage_error.hpp"

namespace strata::cli {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kMode = 0666;  // less the umask

// A file without a name, which is gone with a process that is killed. Negative where the file system has
// none, or nothing to give it a name by.
int open_nameless(const fs::path& folder) {
  std::error_code ignored;
  if (!fs::exists("/proc/self/fd", ignored)) return -1;
  return ::open(folder.empty() ? "." : folder.c_str(), O_WRONLY | O_CLOEXEC | O_TMPFILE, kMode);
}

}  // namespace

void make_output_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    throw UsageError(
        fmt::format("{} cannot be created: {}; name another with --out", folder.string(), error.message()));
}

OutputFile::OutputFile(const std::string& name) : name_(name) {
  if (name == "-") {
    name_ = "standard output";
    descriptor_ = STDOUT_FILENO;
    return;
  }
  std::error_code ignored;
  const fs::file_status status = fs::status(name, ignored);
  if (fs::is_directory(status))
    throw UsageError(fmt::format("--out {} is a folder; name a file in it, such as {}", name,
                                 (fs::path(name) / "export").string()));
  const bool replaces = !fs::exists(status) || fs::is_regular_file(status);
  int flags = O_WRONLY | O_CLOEXEC;
  if (replaces) {
    // Resolves a link, so that the link itself remains.
    target_ = fs::weakly_canonical(name, ignored);
    if (target_.empty()) target_ = name;
    part_ = target_;
    part_ += fmt::format(".{}.part", getpid());
    fs::remove(part_, ignored);  // of a killed process with the same pid
    flags |= O_CREAT | O_EXCL;
    descriptor_ = open_nameless(target_.parent_path());
    is_nameless_ = descriptor_ >= 0;
    if (is_nameless_) return;
  }
  descriptor_ = ::open(replaces ? part_.c_str() : name.c_str(), flags, kMode);
  if (descriptor_ >= 0) return;
  throw UsageError(fmt::format("--out {} cannot be written: {}; name another file, in an existing folder",
                               name, std::strerror(errno)));
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0 && descriptor_ != STDOUT_FILENO) ::close(descriptor_);
  std::error_code ignored;
  if (!part_.empty()) fs::remove(part_, ignored);
}

void OutputFile::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::commit() {
  if (descriptor_ == STDOUT_FILENO) return;
  const std::string open_file = fmt::format("/proc/self/fd/{}", descriptor_);
  if (is_nameless_ && ::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, part_.c_str(), AT_SYMLINK_FOLLOW) != 0)
    fail(errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (part_.empty()) return;
  std::error_code error;
  fs::rename(part_, target_, error);
  if (error) fail(error.value());
  part_.clear();
}

void OutputFile::fail(int error) const {
  const char* const remedy =
      part_.empty() ? ""
                    : "; the incomplete file was removed. Free some space, or name another file with --out";
  throw std::runtime_error(fmt::format("cannot write {}: {}{}", name_, std::strerror(error), remedy));
}

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/saving/replaced_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/trainer/saving/checkpoint_error.hpp"

namespace strata::trainer {
namespace {

// So that the new name outlives a crash of the machine. Some file systems have no such thing.
void sync_folder(const std::filesystem::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

ReplacedFile::ReplacedFile(std::filesystem::path file) : file_(std::move(file)), part_(file_) {
  part_ += ".part";
  descriptor_ = ::open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  keep_error(descriptor_ < 0);
}

ReplacedFile::~ReplacedFile() {
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(part_.c_str());
}

void ReplacedFile::write(const void* bytes, std::size_t count) noexcept {
  const char* next = static_cast<const char*>(bytes);
  while (count > 0 && !has_failed()) {
    const ssize_t written = ::write(descriptor_, next, count);
    if (written < 0 && errno == EINTR) continue;
    keep_error(written < 0);
    if (written < 0) return;
    next += written;
    count -= static_cast<std::size_t>(written);
  }
}

void ReplacedFile::replace() {
  if (!has_failed()) keep_error(::fsync(descriptor_) != 0);
  if (!has_failed()) keep_error(::rename(part_.c_str(), file_.c_str()) != 0);
  if (has_failed())
    throw CheckpointError(
        fmt::format("save: cannot write '{}': {}. Free some space, or save less: save.keep limits how many "
                    "checkpoints are kept, save.every how often one is saved.",
                    file_.string(), std::strerror(error_)));
  ::close(std::exchange(descriptor_, -1));
  sync_folder(file_.parent_path());
}

void ReplacedFile::keep_error(bool failed) noexcept {
  if (failed && error_ == 0) error_ = errno;
}

}  // namespace strata::trainer

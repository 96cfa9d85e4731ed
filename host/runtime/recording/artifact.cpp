// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/recording/artifact.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "host/runtime/private_file.hpp"

namespace strata {
namespace {

// Two threads may write the same name at once: the last commit wins, and neither writes into the other's
// file.
std::filesystem::path temporary_path(const std::filesystem::path& final_path) {
  static std::atomic<std::uint64_t> next{0};
  return final_path.parent_path() /
         fmt::format(".{}.{}.{}.part", final_path.filename().string(), getpid(), next.fetch_add(1));
}

}  // namespace

Artifact::Artifact(ArtifactEntry entry, std::filesystem::path final_path)
    : entry_(std::move(entry)),
      final_path_(std::move(final_path)),
      temporary_path_(temporary_path(final_path_)),
      descriptor_(create_private_file(temporary_path_)) {
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "create " + entry_.file);
}

Artifact::~Artifact() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!temporary_path_.empty()) unlink(temporary_path_.c_str());
}

void Artifact::fail(int error, const char* doing) {
  error_ = error;
  throw std::system_error(error, std::generic_category(), fmt::format("{} {}", doing, entry_.file));
}

void Artifact::write(std::span<const std::byte> data) {
  if (error_ != 0) fail(error_, "write after an error to");
  while (!data.empty()) {
    const ssize_t written = ::write(descriptor_, data.data(), data.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(errno, "write");
    entry_.bytes += static_cast<std::uint64_t>(written);
    data = data.subspan(static_cast<std::size_t>(written));
  }
}

void Artifact::finish() {
  if (error_ != 0) fail(error_, "commit after an error to");
  // A file system may report write errors only here. The descriptor is closed either way.
  if (close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) fail(errno, "close");
  if (std::rename(temporary_path_.c_str(), final_path_.c_str()) != 0) fail(errno, "name");
  temporary_path_.clear();
}

Artifacts::Artifacts(std::filesystem::path run_directory, std::uint32_t rank)
    : run_directory_(std::move(run_directory)), rank_folder_(fmt::format("rank{}", rank)) {}

std::unique_ptr<Artifact> Artifacts::open(std::string_view plugin, std::string_view name,
                                          std::string_view media_type) {
  if (name.empty() || name.front() == '.' || name.find_first_of(std::string_view("/\0", 2)) != name.npos) {
    throw std::invalid_argument(
        fmt::format("artifact '{}' of '{}': a name must not contain '/' or begin with '.'", name, plugin));
  }
  ArtifactEntry entry{std::string(plugin), fmt::format("{}/{}/{}", rank_folder_, plugin, name),
                      std::string(media_type), 0};
  std::filesystem::path final_path = run_directory_ / entry.file;
  std::filesystem::create_directories(final_path.parent_path());
  return std::unique_ptr<Artifact>(new Artifact(std::move(entry), std::move(final_path)));
}

void Artifacts::commit(std::unique_ptr<Artifact> artifact) {
  artifact->finish();
  const std::lock_guard lock(mutex_);
  std::erase_if(committed_, [&](const ArtifactEntry& entry) { return entry.file == artifact->entry_.file; });
  committed_.push_back(artifact->entry_);
}

std::vector<ArtifactEntry> Artifacts::committed() const {
  const std::lock_guard lock(mutex_);
  return committed_;
}

}  // namespace strata

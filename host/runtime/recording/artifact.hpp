// SPDX-License-Identifier: Apache-2.0
// Files that plugins write next to the run store: strata.artifact/1 in C++.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

// The manifest's entry for a committed file.
struct ArtifactEntry {
  std::string plugin;
  std::string file;  // relative to the run directory: rank0/allocator_tracer/stacks.txt
  std::string media_type;
  std::uint64_t bytes = 0;
};

// A file being written under a temporary name. Its destructor removes it unless it was committed. One thread
// at a time. It has no buffer, because a forked child would write an inherited buffer at exit.
class Artifact {
 public:
  ~Artifact();
  Artifact(const Artifact&) = delete;
  Artifact& operator=(const Artifact&) = delete;

  // Throws std::system_error. After a failure, all further writes fail and the file cannot be committed.
  void write(std::span<const std::byte> data);

 private:
  friend class Artifacts;
  Artifact(ArtifactEntry entry, std::filesystem::path final_path);
  // Closes the file and gives it its final name. Throws std::system_error.
  void finish();
  [[noreturn]] void fail(int error, const char* doing);

  ArtifactEntry entry_;
  std::filesystem::path final_path_;
  std::filesystem::path temporary_path_;
  int descriptor_;
  int error_ = 0;
};

// The artifacts of one process. Safe from any thread.
class Artifacts {
 public:
  Artifacts(std::filesystem::path run_directory, std::uint32_t rank);

  // Opens <run directory>/rank<k>/<plugin>/<name>. Throws std::invalid_argument if the name is not a plain
  // file name, std::system_error if the file cannot be created.
  std::unique_ptr<Artifact> open(std::string_view plugin, std::string_view name, std::string_view media_type);

  // Renames the file atomically, replacing an earlier one, and lists it. If this throws (std::system_error),
  // the file is removed.
  void commit(std::unique_ptr<Artifact> artifact);

  // The files committed so far, in that order.
  std::vector<ArtifactEntry> committed() const;

 private:
  const std::filesystem::path run_directory_;
  const std::string rank_folder_;
  mutable std::mutex mutex_;
  std::vector<ArtifactEntry> committed_;
};

}  // namespace strata

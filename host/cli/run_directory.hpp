// SPDX-License-Identifier: Apache-2.0
// The folder for a run's results.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace strata::cli {

// A new folder for one run. Until `keep`, it is removed, with parents created for it, when this goes out of
// scope: a run that never started leaves nothing.
class RunDirectory {
 public:
  // Throws UsageError if `wanted` cannot hold a new run: it exists and is not an empty folder, or cannot be
  // created.
  static void require_free(const std::filesystem::path& wanted);

  // runs/<name>/<UTC time>/ in the current folder, with -2, -3, ... appended if it exists.
  static RunDirectory create_default(const std::string& name, std::chrono::system_clock::time_point now);

  // `wanted` itself. Throws UsageError like require_free, or if it cannot be created.
  static RunDirectory create(const std::filesystem::path& wanted);

  // The folder that another process of the same start creates and marks with `start` in kStartFile. Waits for
  // it; throws UsageError if it does not appear.
  static std::filesystem::path join(const std::filesystem::path& wanted, const std::string& start);
  static constexpr const char* kStartFile = "launch.txt";

  // Whether a rank has begun to write to it.
  static bool has_rank(const std::filesystem::path& directory);

  // For a run that has ended: a complete message if its folder was removed meanwhile; otherwise empty.
  static std::string removal_of(const std::filesystem::path& directory);

  ~RunDirectory();
  RunDirectory(const RunDirectory&) = delete;
  RunDirectory& operator=(const RunDirectory&) = delete;
  RunDirectory(RunDirectory&& other) noexcept;
  RunDirectory& operator=(RunDirectory&&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

  void keep() noexcept { kept_ = true; }
  // The run recorded nothing after all.
  void take_back() noexcept { kept_ = false; }

  // Throws std::runtime_error if the file cannot be written completely.
  void write_file(const std::string& name, const std::string& text) const;

 private:
  RunDirectory() = default;

  std::filesystem::path path_;
  std::vector<std::filesystem::path> created_;  // outermost first
  bool kept_ = false;
};

// The same for an existing run: written next to the file, then renamed, so that readers never see a part.
void write_whole_file(const std::filesystem::path& file, const std::string& text);

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
// The folder that a run leaves its results in.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace strata::cli {

// A fresh folder for one run. Until `keep`, it is taken back, with the parents that were made for it, when
// this goes out of scope: a run that never started leaves nothing.
class RunDirectory {
 public:
  // Throws UsageError when `wanted` cannot hold a new run: it exists and is not an empty folder, or it cannot
  // be made.
  static void require_free(const std::filesystem::path& wanted);

  // runs/<name>/<UTC time>/ in the current folder, with -2, -3, ... behind it when it is taken.
  static RunDirectory create_default(const std::string& name, std::chrono::system_clock::time_point now);

  // `wanted` itself. Throws UsageError as require_free does, or when it cannot be made.
  static RunDirectory create(const std::filesystem::path& wanted);

  // The folder that another process of the same start makes and marks with `start` in kStartFile. Waits for
  // it; throws UsageError when it does not come.
  static std::filesystem::path join(const std::filesystem::path& wanted, const std::string& start);
  static constexpr const char* kStartFile = "launch.txt";

  // Whether a rank has begun to write into it.
  static bool has_rank(const std::filesystem::path& directory);

  // Of a run that has ended, as a whole message: that its folder was removed meanwhile; empty while it is
  // there.
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

  // Throws std::runtime_error when the file cannot be written whole.
  void write_file(const std::string& name, const std::string& text) const;

 private:
  RunDirectory() = default;

  std::filesystem::path path_;
  std::vector<std::filesystem::path> created_;  // outermost first
  bool kept_ = false;
};

// The same for a run that exists: beside the file first, then renamed, so that no reader sees a part.
void write_whole_file(const std::filesystem::path& file, const std::string& text);

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
// A temporary folder under TMPDIR, removed with its contents at the end of the scope.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cli {

class ScratchFolder {
 public:
  // The folder's name begins with `name`. Throws UsageError if it cannot be created.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace strata::cli

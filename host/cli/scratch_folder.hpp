// SPDX-License-Identifier: Apache-2.0
// A folder of its own under TMPDIR, which goes with all that is in it when this goes out of scope.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cli {

class ScratchFolder {
 public:
  // `name` begins the folder's. Throws UsageError where none can be made.
  explicit ScratchFolder(const std::string& name);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace strata::cli

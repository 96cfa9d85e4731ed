// SPDX-License-Identifier: Apache-2.0
#include "host/cli/scratch_folder.hpp"

#include <fmt/format.h>
#include <stdlib.h>

#include <system_error>

#include "host/cli/usage_error.hpp"
#include "strata/runtime/file_system.hpp"

namespace strata::cli {

namespace fs = std::filesystem;

ScratchFolder::ScratchFolder(const std::string& name) {
  std::string pattern = (scratch_place() / (name + "-XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr)
    throw UsageError(fmt::format("cannot create the folder {}; set TMPDIR to use another place", pattern));
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

}  // namespace strata::cli

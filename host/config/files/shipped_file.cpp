// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/shipped_file.hpp"

#include <system_error>

namespace strata::config {

namespace fs = std::filesystem;

fs::path shipped_file(const fs::path& named) {
  std::error_code ignored;
  if (named.is_absolute() || fs::exists(named, ignored)) return named;
  const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
  const fs::path shipped = program.parent_path().parent_path() / "share/strata" / named;
  return fs::is_regular_file(shipped, ignored) ? shipped : named;
}

}  // namespace strata::config

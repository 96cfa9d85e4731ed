// SPDX-License-Identifier: Apache-2.0
#include "host/report/plot/fonts.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace strata::report::plot {

void use_own_fonts_without_others() {
  namespace fs = std::filesystem;
  std::error_code error;
  if (std::getenv("FONTCONFIG_FILE") != nullptr || fs::exists("/etc/fonts/fonts.conf", error)) return;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path own = program.parent_path().parent_path() / "share/strata/fonts/fonts.conf";
  if (fs::exists(own, error)) setenv("FONTCONFIG_FILE", own.c_str(), 0);
}

}  // namespace strata::report::plot

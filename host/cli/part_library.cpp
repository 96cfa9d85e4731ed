// SPDX-License-Identifier: Apache-2.0
#include "host/cli/part_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "host/cli/commands.hpp"
#include "host/cli/torch_libraries.hpp"

namespace strata::cli {
namespace {

std::string last_error() {
  const char* const text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

}  // namespace

std::filesystem::path part_library_path(const std::string& file) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib" / "strata" / file;
}

void* find_in_part(const std::filesystem::path& path, const char* symbol, const std::string& part,
                   const std::vector<std::string>& of_torch) {
  if (!std::filesystem::exists(path)) {
    throw UsageError(
        fmt::format("{} is not installed: there is no {}. Build Strata with LibTorch "
                    "(-DSTRATA_WITH_TORCH=ON, and -DSTRATA_TORCH_ROOT= where it is not in .venv)",
                    part, path.string()));
  }
  if (names_torch()) open_torch(find_torch(), of_torch);
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr && !names_torch()) {
    open_torch(find_torch(), of_torch);
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) {
    throw UsageError(fmt::format("{} cannot be opened: {}. `strata doctor` tells more", part, last_error()));
  }
  void* const found = dlsym(library, symbol);
  if (found == nullptr) {
    throw UsageError(fmt::format("{} is of another build of Strata: {}. Build and install both together",
                                 path.string(), last_error()));
  }
  return found;
}

}  // namespace strata::cli

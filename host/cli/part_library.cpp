// SPDX-License-Identifier: Apache-2.0
#include "host/cli/part_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <utility>

#include "host/cli/torch_libraries.hpp"
#include "host/cli/usage_error.hpp"
#include "strata/runtime/torch_release.hpp"

namespace strata::cli {
namespace {

std::string last_error() {
  const char* const text = dlerror();
  return text == nullptr ? "unknown error" : text;
}

void require_there(const std::filesystem::path& library, const std::string& part) {
  if (std::filesystem::exists(library)) return;
  throw UsageError(
      fmt::format("{} is not installed: {} does not exist. Build Strata with LibTorch "
                  "(-DSTRATA_WITH_TORCH=ON, and -DSTRATA_TORCH_ROOT= if LibTorch is not in .venv)",
                  part, library.string()));
}

}  // namespace

std::filesystem::path part_library_path(const std::string& file) {
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe");
  return program.parent_path().parent_path() / "lib" / "strata" / file;
}

PartSymbol find_in_part(const std::string& file, const char* symbol, const std::string& part,
                        const std::vector<std::string>& of_torch) {
  std::filesystem::path path = part_library_path(file);
  void* library = nullptr;
  if (other_torch_folders().empty()) require_there(path, part);
  if (!names_torch() && std::filesystem::exists(path)) library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const TorchPlace torch = find_torch();
    path = part_for_torch(torch, path);
    require_there(path, part);
    open_torch(torch, of_torch);
    library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr)
    throw UsageError(fmt::format("{} cannot be opened: {}. `strata doctor` shows more", part, last_error()));
  void* const found = dlsym(library, symbol);
  if (found == nullptr) {
    throw UsageError(fmt::format("{} belongs to another build of Strata: {}. Build and install both together",
                                 path.string(), last_error()));
  }
  return {.address = found, .library = std::move(path)};
}

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/torch_release.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <system_error>

#include "host/runtime/search_path.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "torch-";

}  // namespace

std::optional<TorchRelease> loaded_torch() {
  void* const library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  using Release = std::uint64_t (*)();
  // Of torch's C interface, which is kept; byte 7 is the major number, byte 6 the minor.
  const auto release = reinterpret_cast<Release>(dlsym(library, "aoti_torch_abi_version"));
  Dl_info info{};
  const bool has_place =
      release != nullptr && dladdr(reinterpret_cast<void*>(release), &info) != 0 && info.dli_fname != nullptr;
  dlclose(library);
  if (!has_place) return std::nullopt;
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  const std::uint64_t number = release();
  return TorchRelease{.major = static_cast<unsigned>(number >> 56 & 0xFF),
                      .minor = static_cast<unsigned>(number >> 48 & 0xFF),
                      .root = error ? fs::path() : file.parent_path().parent_path()};
}

std::string torch_source_file(const TorchRelease& release) {
  return std::string(kPrefix) + release.text() + ".so";
}

fs::path shipped_sources_folder() {
  const std::vector<fs::path> folders = search_folders(PluginKind::kSource, {});
  return folders.empty() ? fs::path() : folders.back();
}

fs::path built_sources_folder() {
  const auto folder = [](const char* variable) {
    const char* const value = std::getenv(variable);
    return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
  };
  fs::path cache = folder("XDG_CACHE_HOME");
  if (cache.empty() && !folder("HOME").empty()) cache = folder("HOME") / ".cache";
  return cache.empty() ? fs::path() : cache / "strata" / "sources" / STRATA_VERSION;
}

fs::path find_torch_source(const TorchRelease& release) {
  std::vector<fs::path> folders = search_folders(PluginKind::kSource, {});
  folders.push_back(built_sources_folder());
  for (const fs::path& folder : folders) {
    std::error_code error;
    const fs::path file = folder / torch_source_file(release);
    if (!folder.empty() && fs::exists(file, error)) return file;
  }
  return {};
}

std::vector<std::string> releases_in(const fs::path& folder) {
  std::vector<std::pair<long, std::string>> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(kPrefix) || entry.path().extension() != ".so") continue;
    const std::string release = entry.path().stem().string().substr(kPrefix.size());
    const std::size_t dot = release.find('.');
    if (dot == std::string::npos) continue;
    found.emplace_back(std::strtol(release.c_str() + dot + 1, nullptr, 10), release);
  }
  std::ranges::sort(found);
  std::vector<std::string> releases;
  for (auto& [minor, release] : found) releases.push_back(std::move(release));
  return releases;
}

}  // namespace strata

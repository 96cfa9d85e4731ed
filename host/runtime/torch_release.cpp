// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/torch_release.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/runtime/plugins/search_path.hpp"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "torch-";

// "2.11.0" of "2.11.0+cu130".
std::string_view number_of(std::string_view version) {
  return version.substr(0, version.find('+'));
}

// Beside this library, under the minor release's name: there is one (sources/torch/CMakeLists.txt).
fs::path shipped_source() {
  const std::string version = STRATA_SHIPPED_TORCH;
  const std::vector<fs::path> folders = search_folders(PluginKind::kSource, {});
  if (version.empty() || folders.empty()) return {};
  const std::string minor_release = version.substr(0, version.find('.', version.find('.') + 1));
  fs::path file = folders.back() / (std::string(kPrefix) + minor_release + ".so");
  std::error_code error;
  return fs::exists(file, error) ? file : fs::path();
}

}  // namespace

std::string torch_version(const fs::path& root) {
  std::string line;
  std::ifstream wheel(root / "version.py");
  while (std::getline(wheel, line)) {
    const auto from = line.find('\'');
    const auto to = line.rfind('\'');
    if (line.starts_with("__version__") && from < to) return line.substr(from + 1, to - from - 1);
  }
  std::ifstream unpacked(root / "build-version");
  return std::getline(unpacked, line) ? line : std::string();
}

TorchRelease torch_release(fs::path root, const std::string& number) {
  std::string version = torch_version(root);
  std::error_code error;
  if (version.empty()) version = number;
  if (version.find('+') == std::string::npos)
    version += fs::exists(root / "lib/libc10_cuda.so", error) ? "+cuda" : "+cpu";
  return {.version = std::move(version), .root = std::move(root)};
}

std::optional<TorchRelease> loaded_torch() {
  void* const library = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return std::nullopt;
  using Release = std::uint64_t (*)();
  // Of torch's C interface, which is kept; bytes 7 to 5 are the major number, the minor and the patch.
  const auto release = reinterpret_cast<Release>(dlsym(library, "aoti_torch_abi_version"));
  Dl_info info{};
  const bool has_place =
      release != nullptr && dladdr(reinterpret_cast<void*>(release), &info) != 0 && info.dli_fname != nullptr;
  dlclose(library);
  if (!has_place) return std::nullopt;
  std::error_code error;
  const fs::path file = fs::canonical(info.dli_fname, error);
  const auto number = [all = release()](unsigned shift) { return std::to_string(all >> shift & 0xFF); };
  return torch_release(error ? fs::path() : file.parent_path().parent_path(),
                       number(56) + '.' + number(48) + '.' + number(40));
}

std::string torch_source_file(const TorchRelease& release) {
  std::string version = release.version;
  const auto is_odd = [](unsigned char c) {
    return std::isalnum(c) == 0 && std::string_view("+-._").find(static_cast<char>(c)) == std::string::npos;
  };
  std::ranges::replace_if(version, is_odd, '_');
  return std::string(kPrefix) + version + ".so";
}

fs::path built_sources_folder() {
  const auto folder = [](const char* variable) {
    const char* const value = secure_getenv(variable);
    return value == nullptr || *value != '/' ? fs::path() : fs::path(value);
  };
  fs::path cache = folder("XDG_CACHE_HOME");
  if (cache.empty() && !folder("HOME").empty()) cache = folder("HOME") / ".cache";
  return cache.empty() ? fs::path() : cache / "strata" / "sources" / STRATA_VERSION;
}

fs::path find_shipped_torch_source(const TorchRelease& release) {
  std::error_code error;
  for (const fs::path& folder : search_folders(PluginKind::kSource, {})) {
    fs::path file = folder / torch_source_file(release);
    if (fs::exists(file, error)) return file;
  }
  return release.version == STRATA_SHIPPED_TORCH ? shipped_source() : fs::path();
}

fs::path find_torch_source(const TorchRelease& release) {
  if (fs::path shipped = find_shipped_torch_source(release); !shipped.empty()) return shipped;
  fs::path built = built_sources_folder() / torch_source_file(release);
  std::error_code error;
  if (built.is_absolute() && fs::exists(built, error)) return built;
  return number_of(release.version) == number_of(STRATA_SHIPPED_TORCH) ? shipped_source() : fs::path();
}

std::string shipped_torch() {
  return shipped_source().empty() ? std::string() : STRATA_SHIPPED_TORCH;
}

std::vector<std::string> built_torches() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(built_sources_folder(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(kPrefix) && name.ends_with(".so"))
      found.push_back(entry.path().stem().string().substr(kPrefix.size()));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace strata

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

// A file built with torch's CUDA half does not fit a torch without it; the CUDA version does not matter to
// that. "cu" for "2.11.0+cu130", "cpu" for "2.11.0+cpu".
std::string_view kind_of(std::string_view version) {
  const std::size_t plus = version.find('+');
  if (plus == std::string_view::npos) return {};
  const std::string_view variant = version.substr(plus + 1);
  return variant.starts_with("cu") ? "cu" : variant.substr(0, variant.find_first_of("0123456789"));
}

struct ShippedSource {
  std::string version;  // of torch
  fs::path file;
};

// Next to this library, under the minor release's name (sources/torch/CMakeLists.txt).
std::optional<ShippedSource> source_of_this_build() {
  const std::string version = STRATA_SHIPPED_TORCH;
  const std::vector<fs::path> folders = search_folders(PluginKind::kSource, {});
  if (version.empty() || folders.empty()) return std::nullopt;
  const std::string minor_release = version.substr(0, version.find('.', version.find('.') + 1));
  fs::path file = folders.back() / (std::string(kPrefix) + minor_release + ".so");
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  return ShippedSource{version, std::move(file)};
}

// The version in "torch-2.12.1+cu130.so".
std::string version_of(const fs::path& file) {
  const std::string stem = file.stem().string();
  return file.extension() == ".so" && stem.starts_with(kPrefix) ? stem.substr(kPrefix.size()) : std::string();
}

std::vector<ShippedSource> shipped_sources() {
  std::vector<ShippedSource> sources;
  if (auto own = source_of_this_build()) sources.push_back(*std::move(own));
  for (const fs::path& folder : other_torch_folders()) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (std::string version = version_of(entry.path()); !version.empty())
        sources.push_back({std::move(version), entry.path()});
    }
  }
  return sources;
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
  // From torch's stable C interface; bytes 7 to 5 are major, minor and patch.
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
  fs::path near;
  for (ShippedSource& source : shipped_sources()) {
    if (source.version == release.version) return std::move(source.file);
    const bool fits = number_of(source.version) == number_of(release.version) &&
                      kind_of(source.version) == kind_of(release.version);
    if (fits) near = std::move(source.file);
  }
  return near;
}

fs::path find_torch_source(const TorchRelease& release) {
  if (fs::path shipped = find_shipped_torch_source(release); !shipped.empty()) return shipped;
  fs::path built = built_sources_folder() / torch_source_file(release);
  std::error_code error;
  if (built.is_absolute() && fs::exists(built, error)) return built;
  const auto own = source_of_this_build();
  return own && number_of(release.version) == number_of(own->version) ? own->file : fs::path();
}

std::vector<std::string> shipped_torches() {
  std::vector<std::string> versions;
  for (ShippedSource& source : shipped_sources()) versions.push_back(std::move(source.version));
  std::ranges::sort(versions);
  return versions;
}

std::vector<fs::path> other_torch_folders() {
  const std::vector<fs::path> folders = search_folders(PluginKind::kSource, {});
  if (folders.empty()) return {};
  std::vector<fs::path> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folders.back().parent_path(), error)) {
    if (entry.path().filename().string().starts_with(kPrefix) && entry.is_directory(error))
      found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<std::string> built_torches() {
  std::vector<std::string> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(built_sources_folder(), error)) {
    if (std::string version = version_of(entry.path()); !version.empty()) found.push_back(std::move(version));
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace strata

// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/search_path.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <set>
#include <system_error>

namespace strata {
namespace {

// The folder of the shared object, or of the program, that this code was linked into.
std::filesystem::path own_folder() {
  static const int anchor = 0;
  Dl_info info{};
  if (dladdr(&anchor, &info) == 0 || info.dli_fname == nullptr) return {};
  std::error_code error;
  const std::filesystem::path resolved = std::filesystem::weakly_canonical(info.dli_fname, error);
  return error ? std::filesystem::path() : resolved.parent_path();
}

// As they are written, without the empty ones.
std::vector<std::string> environment_folders() {
  const char* value = secure_getenv("STRATA_PLUGIN_PATH");
  std::string_view rest = value == nullptr ? std::string_view() : value;
  std::vector<std::string> folders;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    if (const std::string_view folder = rest.substr(0, colon); !folder.empty()) folders.emplace_back(folder);
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return folders;
}

// The result must not depend on the working directory.
bool is_relative(const std::string& folder) {
  return !folder.starts_with('/');
}

}  // namespace

std::string_view kind_name(PluginKind kind) {
  return kind == PluginKind::kPlugin ? "plugin" : "source";
}

std::vector<std::filesystem::path> search_folders(PluginKind kind,
                                                  const std::vector<std::filesystem::path>& session_path) {
  std::vector<std::filesystem::path> folders = session_path;
  for (const std::string& folder : environment_folders()) {
    if (!is_relative(folder)) folders.emplace_back(folder);
  }
  if (const std::filesystem::path own = own_folder(); !own.empty()) {
    folders.push_back(own / "strata" / (kind == PluginKind::kPlugin ? "plugins" : "sources"));
  }
  return folders;
}

std::vector<std::string> relative_environment_folders() {
  std::vector<std::string> folders = environment_folders();
  std::erase_if(folders, [](const std::string& folder) { return !is_relative(folder); });
  return folders;
}

std::vector<std::filesystem::path> candidate_files(std::string_view name,
                                                   const std::vector<std::filesystem::path>& folders) {
  if (name.find('/') != std::string_view::npos) return {std::filesystem::path(name)};
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& folder : folders) {
    files.push_back(folder / ("lib" + std::string(name) + ".so"));
    files.push_back(folder / (std::string(name) + ".so"));
  }
  return files;
}

std::vector<std::filesystem::path> plugin_files(const std::vector<std::filesystem::path>& folders) {
  std::vector<std::filesystem::path> files;
  std::set<std::string> names;
  for (const std::filesystem::path& folder : folders) {
    std::vector<std::filesystem::path> found;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".so") found.push_back(entry.path());
    }
    std::sort(found.begin(), found.end());
    for (const std::filesystem::path& file : found) {
      if (names.insert(plugin_name(file)).second) files.push_back(file);
    }
  }
  return files;
}

std::string plugin_name(const std::filesystem::path& file) {
  std::string stem = file.stem().string();
  return stem.starts_with("lib") ? stem.substr(3) : stem;
}

}  // namespace strata

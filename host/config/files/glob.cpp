// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/glob.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <span>
#include <system_error>

namespace strata::config {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "*?[\\";

using Names = std::span<const std::string>;

std::vector<std::string> split(std::string_view pattern) {
  std::vector<std::string> names;
  for (const fs::path& name : fs::path(pattern).relative_path()) {
    if (!name.empty() && name != ".") names.push_back(name.string());
  }
  return names;
}

std::string unescape(std::string_view name) {
  std::string plain;
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\' && i + 1 < name.size()) ++i;
    plain += name[i];
  }
  return plain;
}

// Whether it contains an unescaped wildcard.
bool is_pattern(std::string_view name) {
  for (std::size_t i = 0; i < name.size(); ++i) {
    if (name[i] == '\\') {
      ++i;
    } else if (name[i] == '*' || name[i] == '?' || name[i] == '[') {
      return true;
    }
  }
  return false;
}

std::vector<fs::directory_entry> entries_of(const fs::path& folder) {
  std::error_code ignored;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored)) {
    entries.push_back(*at);
  }
  return entries;
}

void add_files_below(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code ignored;
  if (fs::is_regular_file(path, ignored)) {
    files.push_back(path);
    return;
  }
  if (!fs::is_directory(path, ignored)) return;
  for (const fs::directory_entry& entry : entries_of(path)) {
    const bool linked_folder = entry.is_directory(ignored) && entry.is_symlink(ignored);
    if (linked_folder || entry.path().filename().string().starts_with('.')) continue;
    add_files_below(entry.path(), files);
  }
}

void match(const fs::path& folder, Names names, std::vector<fs::path>& files) {
  if (names.empty()) {
    add_files_below(folder, files);
    return;
  }
  const std::string& name = names.front();
  const Names rest = names.subspan(1);
  if (!is_pattern(name)) {
    match(folder / unescape(name), rest, files);
    return;
  }
  if (name == "**") match(folder, rest, files);
  std::error_code ignored;
  for (const fs::directory_entry& entry : entries_of(folder)) {
    const std::string found = entry.path().filename().string();
    if (name == "**") {
      const bool real_folder = entry.is_directory(ignored) && !entry.is_symlink(ignored);
      if (real_folder && !found.starts_with('.')) match(entry.path(), names, files);
    } else if (fnmatch(name.c_str(), found.c_str(), FNM_PERIOD) == 0) {
      match(entry.path(), rest, files);
    }
  }
}

}  // namespace

std::string escape_pattern(std::string_view file_name) {
  std::string pattern;
  for (const char letter : file_name) {
    if (kMagic.find(letter) != std::string_view::npos) pattern += '\\';
    pattern += letter;
  }
  return pattern;
}

std::vector<fs::path> expand_pattern(std::string_view pattern) {
  const std::vector<std::string> names = split(pattern);
  std::vector<fs::path> files;
  match("/", names, files);
  std::ranges::sort(files);
  files.erase(std::unique(files.begin(), files.end()), files.end());
  return files;
}

}  // namespace strata::config

#include "host/trainer/data/find_files.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <span>
#include <system_error>

#include "host/trainer/data/data_error.hpp"

namespace strata::trainer {

namespace fs = std::filesystem;

namespace {

bool is_pattern(const std::string& component) {
  return component.find_first_of("*?[") != std::string::npos;
}

// Entries of a folder that are not hidden. A folder that cannot be read has none.
std::vector<fs::path> visible_entries(const fs::path& folder) {
  std::vector<fs::path> entries;
  std::error_code unreadable;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, unreadable)) {
    if (!entry.path().filename().string().starts_with('.')) entries.push_back(entry.path());
  }
  return entries;
}

void collect_files_below(const fs::path& path, std::vector<fs::path>& files) {
  std::error_code unreadable;
  if (fs::is_regular_file(path, unreadable)) files.push_back(path);
  if (!fs::is_directory(path, unreadable)) return;
  for (const fs::path& entry : visible_entries(path)) {
    // Links to folders are not followed: they may lead in a circle.
    if (!(fs::is_symlink(entry, unreadable) && fs::is_directory(entry, unreadable))) {
      collect_files_below(entry, files);
    }
  }
}

// Appends every file under `base` that the remaining `components` of a pattern lead to.
void collect_matches(const fs::path& base, std::span<const std::string> components,
                     std::vector<fs::path>& files) {
  if (components.empty()) return collect_files_below(base, files);
  const std::string& component = components.front();
  const auto rest = components.subspan(1);
  std::error_code unreadable;
  if (!is_pattern(component)) {
    if (fs::exists(base / component, unreadable)) collect_matches(base / component, rest, files);
    return;
  }
  if (component == "**") collect_matches(base, rest, files);
  for (const fs::path& entry : visible_entries(base)) {
    if (component == "**") {
      const bool descend = fs::is_directory(entry, unreadable) && !fs::is_symlink(entry, unreadable);
      if (descend) collect_matches(entry, components, files);
    } else if (::fnmatch(component.c_str(), entry.filename().c_str(), 0) == 0) {
      collect_matches(entry, rest, files);
    }
  }
}

std::vector<fs::path> files_of(const std::string& text) {
  std::vector<fs::path> files;
  const fs::path path(text);
  if (fs::exists(path)) {
    collect_files_below(path, files);
  } else if (is_pattern(text)) {
    std::vector<std::string> components;
    for (const fs::path& component : path.relative_path()) components.push_back(component.string());
    collect_matches(path.has_root_path() ? path.root_path() : fs::path("."), components, files);
  } else {
    throw DataError(fmt::format(
        "data.path: there is no '{}'. Relative paths start at the folder of the YAML file.", text));
  }
  if (files.empty()) {
    throw DataError(fmt::format("data.path: '{}' {}. Name at least one file with text.", text,
                                fs::exists(path) ? "holds no file" : "matches no file"));
  }
  std::sort(files.begin(), files.end(),
            [](const fs::path& left, const fs::path& right) { return left.native() < right.native(); });
  return files;
}

}  // namespace

std::vector<fs::path> find_files(const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  std::set<fs::path> seen;
  for (const std::string& path : paths) {
    for (fs::path& file : files_of(path)) {
      if (seen.insert(file).second) files.push_back(std::move(file));
    }
  }
  return files;
}

}  // namespace strata::trainer

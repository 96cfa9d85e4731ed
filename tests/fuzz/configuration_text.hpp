// SPDX-License-Identifier: Apache-2.0
// Texts of configurations, which may name files: a fuzzer's texts must reach only their own files.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace strata::fuzz {

// Creates the folder and makes it the working directory and HOME; once per process, which removes it
// at the end.
inline const std::filesystem::path& stay_in_an_empty_folder() {
  static const test::TemporaryFolder folder;
  static const bool is_there = [] {
    std::filesystem::current_path(folder.path());
    return setenv("HOME", folder.path().c_str(), 1) == 0;
  }();
  static_cast<void>(is_there);
  return folder.path();
}

// Whether a pattern in the text may search the whole machine, or a name may be read from forever.
inline bool leaves_the_folder(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return has("/dev") || has("/proc") || has("/sys") ||
         (has("*") && (has("/*") || has("..") || has("~") || has("$")));
}

// The command line's overrides, in lines "#= key=value", which YAML treats as comments.
inline std::vector<std::string> overrides_in(const std::string& text) {
  constexpr std::string_view kMark = "#= ";
  std::vector<std::string> overrides;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(kMark)) overrides.push_back(line.substr(kMark.size()));
  }
  return overrides;
}

}  // namespace strata::fuzz

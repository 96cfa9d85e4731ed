// SPDX-License-Identifier: Apache-2.0
// Texts of configurations, which may name files: those of a fuzzer find none but their own.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace strata::fuzz {

// Makes it, goes there, and calls it home; once in a process, which removes it when it ends.
inline const std::filesystem::path& stay_in_an_empty_folder() {
  static const test::TemporaryFolder folder;
  static const bool is_there = [] {
    std::filesystem::current_path(folder.path());
    return setenv("HOME", folder.path().c_str(), 1) == 0;
  }();
  static_cast<void>(is_there);
  return folder.path();
}

// Whether a pattern in the text may walk through the whole machine, or a name be read from for ever.
inline bool leaves_the_folder(std::string_view text) {
  const auto has = [&](std::string_view part) { return text.find(part) != std::string_view::npos; };
  return has("/dev") || has("/proc") || has("/sys") ||
         (has("*") && (has("/*") || has("..") || has("~") || has("$")));
}

// What the command line says, in lines "#= key=value", which YAML takes for comments.
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

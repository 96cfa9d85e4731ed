// SPDX-License-Identifier: Apache-2.0
#include "host/config/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace strata::config {
namespace {

std::string join_lines(const std::vector<Problem>& problems) {
  std::string lines;
  for (const Problem& problem : problems) {
    if (!lines.empty()) lines += '\n';
    lines += problem.text();
  }
  return lines;
}

}  // namespace

std::string Place::text() const {
  if (line == 0) return source;
  return fmt::format("{}:{}:{}", source, line, column);
}

std::filesystem::path Place::folder() const {
  if (command_line) return std::filesystem::current_path();
  return std::filesystem::absolute(source).parent_path();
}

std::string Problem::text() const {
  std::string text;
  if (!place.source.empty()) text += place.text() + ": ";
  if (!key.empty()) text += key + ": ";
  text += message;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void sort_problems(std::vector<Problem>& problems) {
  std::stable_sort(problems.begin(), problems.end(), [](const Problem& a, const Problem& b) {
    return std::tie(a.place.command_line, a.place.line, a.place.column) <
           std::tie(b.place.command_line, b.place.line, b.place.column);
  });
}

ConfigError::ConfigError(std::vector<Problem> problems)
    : std::runtime_error(join_lines(problems)), problems_(std::move(problems)) {}

}  // namespace strata::config

// SPDX-License-Identifier: Apache-2.0
#include "host/config/files/paths.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "host/config/files/glob.hpp"

namespace strata::config {
namespace {

std::string variable(const std::string& name, std::string_view written) {
  const char* const value = secure_getenv(name.c_str());
  if (value == nullptr || *value == '\0') {
    throw std::invalid_argument(fmt::format("the environment variable {} in '{}' is not set", name, written));
  }
  return value;
}

}  // namespace

std::string expand_variables(std::string_view text) {
  std::string expanded;
  std::string_view rest = text;
  if (rest == "~" || rest.starts_with("~/")) {
    expanded = variable("HOME", text);
    rest.remove_prefix(1);
  }
  while (true) {
    const auto open = rest.find("${");
    expanded += rest.substr(0, open);
    if (open == std::string_view::npos) return expanded;
    const auto close = rest.find('}', open);
    if (close == std::string_view::npos) {
      throw std::invalid_argument(fmt::format("expected '}}' after '${{' in '{}'", text));
    }
    expanded += variable(std::string(rest.substr(open + 2, close - open - 2)), text);
    rest.remove_prefix(close + 1);
  }
}

std::string absolute_pattern(std::string_view text, const std::filesystem::path& base) {
  std::string expanded = expand_variables(text);
  if (expanded.starts_with('/')) return expanded;
  const std::string folder = std::filesystem::absolute(base).lexically_normal().string();
  return escape_pattern(folder) + (folder.ends_with('/') ? "" : "/") + expanded;
}

std::filesystem::path shipped_file(const std::filesystem::path& named) {
  std::error_code ignored;
  if (named.is_absolute() || std::filesystem::exists(named, ignored)) return named;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", ignored);
  const std::filesystem::path shipped = program.parent_path().parent_path() / "share/strata" / named;
  return std::filesystem::is_regular_file(shipped, ignored) ? shipped : named;
}

}  // namespace strata::config

// SPDX-License-Identifier: Apache-2.0
#include "host/config/reading/node.hpp"

#include <fmt/format.h>

namespace strata::config {
namespace {

constexpr std::size_t kLongestShown = 40;

}  // namespace

std::string describe(const YAML::Node& node) {
  if (node.IsMap()) return "a mapping";
  if (node.IsSequence()) return "a list";
  if (!node.IsScalar()) return "nothing";
  const std::string& text = node.Scalar();
  std::string shown;
  for (const char letter : text.substr(0, kLongestShown)) {
    const bool control = static_cast<unsigned char>(letter) < 0x20 || letter == '\x7f';
    shown += control ? ' ' : letter;
  }
  return fmt::format("'{}{}'", shown, text.size() > kLongestShown ? "..." : "");
}

Place place_of(const YAML::Node& node, const Place& otherwise) {
  const YAML::Mark mark = node.Mark();
  if (otherwise.command_line || mark.is_null() || node.IsNull()) return otherwise;
  return {.source = otherwise.source, .line = mark.line + 1, .column = mark.column + 1};
}

}  // namespace strata::config

// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/config/schema/schema.hpp"

namespace strata::config {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 6;

// Words of `text` in lines of kWidth, each indented.
std::string wrapped(std::string_view text) {
  std::string lines;
  std::string line(kIndent, ' ');
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    if (line.size() > kIndent && line.size() + 1 + word.size() > kWidth) {
      lines += line + '\n';
      line.assign(kIndent, ' ');
    }
    if (line.size() > kIndent) line += ' ';
    line += word;
    text.remove_prefix(std::min(text.size(), word.size() + 1));
  }
  return lines + line + '\n';
}

std::string default_of(const Key& key) {
  if (key.required) return "required";
  if (!key.default_help.empty()) return fmt::format("default: {}", key.default_help);
  return fmt::format("default: {}", key.default_text);
}

std::string entry(const Key& key) {
  std::string text = fmt::format("  {}\n", key.path);
  text += wrapped(key.help);
  std::string values = fmt::format("Expects {}; {}.", expectation(key.type), default_of(key));
  if (key.only_when) values += fmt::format(" Only with {}.", key.only_when->text());
  if (const auto* const choice = std::get_if<ChoiceType>(&key.type);
      choice != nullptr && !choice->later.empty()) {
    values += fmt::format(" Not in this version: {}.", fmt::join(choice->later, ", "));
  }
  return text + wrapped(values);
}

}  // namespace

std::string help_text() {
  std::string text =
      "Every key of a run's YAML. `a.b` is the key b in the section a; on the command line write a.b=value.\n"
      "Only required keys must be set; config.yaml in a run's folder shows every value that was used.\n";
  std::string_view open_section = "?";
  for (const Key& key : keys()) {
    if (key.section() != open_section) {
      open_section = key.section();
      const Section* const section = find_section(open_section);
      text += section == nullptr ? "\n" : fmt::format("\n{}: {}\n", section->path, section->help);
    }
    text += entry(key);
  }
  return text;
}

}  // namespace strata::config

// SPDX-License-Identifier: Apache-2.0
#include "host/grid/plan/identity.hpp"

#include <fmt/format.h>
#include <sha2.h>
#include <yaml-cpp/yaml.h>

#include <array>
#include <map>

#include "host/config/loading/load.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::grid {
namespace {

constexpr std::size_t kDigits = 12;

std::string on_one_line(const YAML::Node& node) {
  YAML::Emitter out;
  out << YAML::Flow << node;
  std::string text = out.c_str();
  for (char& letter : text) {
    if (letter == '\n') letter = ' ';
  }
  return text;
}

using Lines = std::map<std::string, std::string>;  // values by key

// Sections are one level deep; a value may be a mapping itself.
Lines lines_of(const std::string& resolved_yaml) {
  Lines lines;
  for (const auto& entry : YAML::Load(resolved_yaml)) {
    const std::string name = entry.first.Scalar();
    if (config::find_section(name) == nullptr) {
      lines[name] = on_one_line(entry.second);
      continue;
    }
    for (const auto& inner : entry.second)
      lines[name + "." + inner.first.Scalar()] = on_one_line(inner.second);
  }
  return lines;
}

const Lines& defaults() {
  static const Lines lines =
      lines_of(config::parse_config("model: {size: small}", "defaults.yaml").resolved_yaml);
  return lines;
}

bool is_default(const std::string& key, const std::string& value) {
  const config::Key* const known = config::find_key(key);
  if (known == nullptr || known->default_text.empty()) return false;
  const auto found = defaults().find(key);
  return found != defaults().end() && found->second == value;
}

}  // namespace

std::string sha256(std::string_view text) {
  std::array<char, SHA256_DIGEST_STRING_LENGTH> digits{};
  SHA256Data(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(), digits.data());
  return digits.data();
}

std::string canonical_text(const config::RunConfig& config) {
  std::string text;
  for (const auto& [key, value] : lines_of(config.resolved_yaml)) {
    if (key != "name" && !is_default(key, value)) text += fmt::format("{}={}\n", key, value);
  }
  return text;
}

std::string identity_of(const config::RunConfig& config) {
  return identity_of_text(canonical_text(config));
}

std::string identity_of_text(std::string_view text) {
  return sha256(text).substr(0, kDigits);
}

}  // namespace strata::grid

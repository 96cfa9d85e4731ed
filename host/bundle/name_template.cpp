// SPDX-License-Identifier: Apache-2.0
#include "host/bundle/name_template.hpp"

#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>

#include "host/config/nearest.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::bundle {
namespace {

constexpr std::size_t kLongest = 150;

std::string value_text(const YAML::Node& node) {
  if (!node.IsDefined() || node.IsNull()) return "none";
  if (node.IsScalar()) return node.Scalar();
  std::string text;
  for (const auto& each : node)
    text += (text.empty() ? "" : "-") + (node.IsMap() ? value_text(each.first) + "-" + value_text(each.second)
                                                      : value_text(YAML::Node(each)));
  return text;
}

std::string value_at(const YAML::Node& config, std::string_view path) {
  YAML::Node node = config;
  while (!path.empty()) {
    if (!node.IsMap()) return "none";
    const auto dot = path.find('.');
    node.reset(node[std::string(path.substr(0, dot))]);
    if (!node.IsDefined()) return "none";
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return value_text(node);
}

// What every file system takes as a name.
std::string safe(const std::string& text) {
  std::string name;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '.' || c == '_' || c == '-';
    name += plain ? c : '-';
  }
  name = name.substr(0, kLongest);
  const auto begin = name.find_first_not_of(".-");
  return begin == std::string::npos ? "run" : name.substr(begin);
}

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

}  // namespace

NameTemplate::NameTemplate(std::string_view text) {
  const std::string whole(text);
  std::vector<std::string_view> known;
  for (const config::Key& key : config::keys()) known.push_back(key.path);
  while (!text.empty()) {
    const auto open = text.find_first_of("{}");
    if (open != 0) parts_.push_back({std::string(text.substr(0, open)), false});
    if (open == std::string_view::npos) break;
    const auto close = text.find_first_of("{}", open + 1);
    if (text[open] == '}' || close == std::string_view::npos || text[close] == '{')
      throw TemplateError(fmt::format("'{}' has an unmatched brace; put each key between {{ and }}", whole));
    const std::string key(text.substr(open + 1, close - open - 1));
    if (config::find_key(key) == nullptr)
      throw TemplateError(
          fmt::format("'{}' names the unknown key '{}'{}; `strata run --help-config` lists all keys", whole,
                      key, config::did_you_mean(key, known)));
    parts_.push_back({key, true});
    text.remove_prefix(close + 1);
  }
  if (parts_.empty()) throw TemplateError("the name template is empty; expected one such as '{name}_{mode}'");
}

std::string NameTemplate::name_for(std::string_view config_yaml) const {
  YAML::Node config;
  try {
    config = YAML::Load(std::string(config_yaml));
  } catch (const YAML::Exception&) {
    config = YAML::Node();  // of a run that was damaged: its other files still say something
  }
  std::string name;
  for (const Part& part : parts_) name += part.is_key ? value_at(config, part.text) : part.text;
  return safe(name);
}

std::string unique_name(const std::string& name, std::set<std::string>& taken) {
  std::string unique = name;
  for (int number = 2; !taken.insert(lower(unique)).second; ++number)
    unique = fmt::format("{}-{}", name, number);
  return unique;
}

}  // namespace strata::bundle

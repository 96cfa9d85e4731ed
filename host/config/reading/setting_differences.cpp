// SPDX-License-Identifier: Apache-2.0
#include "host/config/reading/setting_differences.hpp"

#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <map>

#include "host/config/reading/document.hpp"

namespace strata::config {
namespace {

struct Setting {
  std::string key, value;
};

std::string on_one_line(const YAML::Node& node) {
  YAML::Emitter emitter;
  emitter << YAML::Flow << node;
  std::string text = emitter.c_str();
  std::ranges::replace(text, '\n', ' ');
  return text;
}

void collect(const YAML::Node& node, const std::string& key, std::vector<Setting>& settings) {
  if (!node.IsMap() || node.size() == 0) {
    settings.push_back({key, on_one_line(node)});
    return;
  }
  for (const auto& entry : node)
    collect(entry.second, (key.empty() ? "" : key + ".") + entry.first.Scalar(), settings);
}

std::vector<Setting> settings_of(const std::filesystem::path& file) {
  std::vector<Setting> settings;
  collect(parse_document(read_text(file), file.string()), "", settings);
  return settings;
}

}  // namespace

std::vector<SettingDifference> setting_differences(const std::filesystem::path& base,
                                                   const std::filesystem::path& other) {
  std::vector<SettingDifference> all;
  std::map<std::string, std::size_t> places;
  for (Setting& setting : settings_of(base)) {
    places.emplace(setting.key, all.size());
    all.push_back({std::move(setting.key), std::move(setting.value), ""});
  }
  for (Setting& setting : settings_of(other)) {
    const auto [place, is_new] = places.emplace(setting.key, all.size());
    if (is_new) all.push_back({setting.key, "", ""});
    all[place->second].other = std::move(setting.value);
  }
  std::erase_if(all, [](const SettingDifference& each) { return each.base == each.other; });
  return all;
}

}  // namespace strata::config

// SPDX-License-Identifier: Apache-2.0
#include "host/config/loading/plugin_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <stdexcept>

#include "host/config/files/paths.hpp"
#include "host/config/reading/node.hpp"

namespace strata::config {
namespace {

const std::string kPluginsKey = "plugins";

class PluginReader {
 public:
  PluginReader(const std::filesystem::path& base, std::vector<Problem>& problems)
      : base_(base), problems_(problems) {}

  // `name` and its options, which may be nothing.
  PluginRequest read(const YAML::Node& name, const YAML::Node& options, const Place& place) {
    PluginRequest request{.name = resolve(name.Scalar(), place), .options = {}, .place = place.text()};
    const std::string key = fmt::format("{}.{}", kPluginsKey, name.Scalar());
    if (options.IsNull()) return request;
    if (!options.IsMap()) {
      problem(place_of(options, place), key,
              fmt::format("expected a mapping of options, found {}", describe(options)));
      return request;
    }
    std::map<std::string, Place> seen;
    for (const auto& entry : options) {
      const Place option_place = place_of(entry.first, place);
      if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
        const bool bad_name = !entry.first.IsScalar();
        problem(option_place, bad_name ? key : fmt::format("{}.{}", key, entry.first.Scalar()),
                fmt::format("expected {}, found {}", bad_name ? "the name of an option" : "a single value",
                            describe(bad_name ? entry.first : entry.second)));
        continue;
      }
      const std::string& option = entry.first.Scalar();
      const auto [first, is_new] = seen.emplace(option, option_place);
      if (!is_new) {
        problem(option_place, fmt::format("{}.{}", key, option),
                fmt::format("written twice; the first is at {}", first->second.text()));
        continue;
      }
      request.options.push_back({.key = option,
                                 .text = entry.second.Scalar(),
                                 .place = place_of(entry.second, option_place).text()});
    }
    return request;
  }

  void problem(const Place& place, std::string key, std::string message) {
    problems_.push_back({place, std::move(key), std::move(message)});
  }

 private:
  std::string resolve(const std::string& name, const Place& place) {
    if (name.find('/') == std::string::npos) return name;
    try {
      return (std::filesystem::absolute(base_) / expand_variables(name)).lexically_normal().string();
    } catch (const std::invalid_argument& error) {
      problem(place, kPluginsKey, error.what());
      return name;
    }
  }

  const std::filesystem::path& base_;
  std::vector<Problem>& problems_;
};

// The override as the mapping of options that a file would hold.
YAML::Node options_of(const PluginOverride& change) {
  if (change.option.empty()) return change.value.node;
  YAML::Node options(YAML::NodeType::Map);
  options[change.option] = change.value.node;
  return options;
}

}  // namespace

std::vector<PluginRequest> read_plugins(const WrittenValue& list, const std::filesystem::path& base,
                                        std::vector<Problem>& problems) {
  PluginReader reader(base, problems);
  std::vector<PluginRequest> requests;
  for (const YAML::Node& element : list.node) {
    const Place place = place_of(element, list.place);
    if (element.IsScalar() && !element.Scalar().empty()) {
      requests.push_back(reader.read(element, YAML::Node(), place));
    } else if (element.IsMap() && element.size() == 1 && element.begin()->first.IsScalar()) {
      requests.push_back(reader.read(element.begin()->first, element.begin()->second, place));
    } else {
      reader.problem(
          place, kPluginsKey,
          fmt::format("expected a plugin's name or {{name: {{option: value}}}}, found {}",
                      element.IsMap() ? "a mapping with more or fewer than one name" : describe(element)));
      continue;
    }
    const auto same = [&](const PluginRequest& earlier) { return earlier.name == requests.back().name; };
    if (std::any_of(requests.begin(), requests.end() - 1, same)) {
      reader.problem(place, kPluginsKey, fmt::format("'{}' is listed twice", requests.back().name));
    }
  }
  return requests;
}

void apply_plugin_overrides(const std::vector<PluginOverride>& overrides, std::vector<PluginRequest>& plugins,
                            std::vector<Problem>& problems) {
  const std::filesystem::path base = std::filesystem::current_path();
  for (const PluginOverride& change : overrides) {
    PluginRequest request =
        PluginReader(base, problems).read(YAML::Node(change.plugin), options_of(change), change.value.place);
    const auto known = std::ranges::find(plugins, request.name, &PluginRequest::name);
    if (known == plugins.end()) {
      plugins.push_back(std::move(request));
    } else if (change.option.empty()) {
      *known = std::move(request);
    } else {
      std::erase_if(known->options, [&](const PluginOption& option) { return option.key == change.option; });
      std::ranges::move(request.options, std::back_inserter(known->options));
    }
  }
}

}  // namespace strata::config

// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/written.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>

#include "host/config/nearest.hpp"
#include "host/config/reading/document.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {
namespace {

constexpr std::string_view kPlugins = "plugins";

// A key that exists elsewhere: `lr` at the top, or `optimizer.lr` written as one word.
std::string_view elsewhere(std::string_view section, std::string_view name) {
  for (const Key& key : keys()) {
    const bool same_name = key.name() == name && key.section() != section;
    if (same_name || key.path == name) return key.path;
  }
  return {};
}

std::string unknown_key(std::string_view section, std::string_view name) {
  const std::vector<std::string_view> known = names_in(section);
  std::string message = "unknown key";
  const bool is_path = name.find('.') != std::string_view::npos;
  if (const std::string near = nearest(name, known); !near.empty() && !is_path) {
    return message + fmt::format("; did you mean '{}'?", near);
  }
  if (const std::string_view path = elsewhere(section, name); !path.empty()) {
    const auto dot = path.find('.');
    if (dot == std::string_view::npos)
      return message + fmt::format("; did you mean '{}', at the top level?", path);
    return message +
           fmt::format("; did you mean `{}: {{{}: ...}}`?", path.substr(0, dot), path.substr(dot + 1));
  }
  return message + fmt::format("; expected one of {}", fmt::join(known, ", "));
}

// For `optimizr.lr` with an unknown section: suggests the key if the nearest section has one with that name.
std::string unknown_section(std::string_view section, std::string_view name) {
  const std::string near = nearest(section, names_in(""));
  const std::string path = key_path(near, name);
  if (near.empty() || find_key(path) == nullptr) return unknown_key("", section);
  return fmt::format("unknown key; did you mean '{}'?", path);
}

// The keys of one mapping, the file's or a section's.
class MappingReader {
 public:
  MappingReader(Written& written, std::vector<Problem>& problems) : written_(written), problems_(problems) {}

  void read(const YAML::Node& mapping, std::string_view section, const Place& place) {
    std::map<std::string, Place> seen;
    for (const auto& entry : mapping) {
      const Place key_place = config::place_of(entry.first, place);
      if (!entry.first.IsScalar()) {
        problems_.push_back({key_place, std::string(section),
                             fmt::format("expected the name of a key, found {}", describe(entry.first))});
        continue;
      }
      const std::string& name = entry.first.Scalar();
      const std::string path = key_path(section, name);
      const auto [first, is_new] = seen.emplace(name, key_place);
      if (!is_new) {
        problems_.push_back(
            {key_place, path, fmt::format("written twice; the first is at {}", first->second.text())});
        continue;
      }
      read_entry(section, name, {entry.second, config::place_of(entry.second, key_place)}, key_place);
    }
  }

 private:
  void read_entry(std::string_view section, const std::string& name, WrittenValue value,
                  const Place& key_place) {
    const std::string path = key_path(section, name);
    if (section.empty() && find_section(name) != nullptr) {
      written_.sections[name] = key_place;
      read_section(name, value);
      return;
    }
    const Key* const key = find_key(path);
    // `model.size: x` at the top is one word, not a path.
    const bool known = key != nullptr && key->name() == name;
    if (!known) {
      problems_.push_back({key_place, path, unknown_key(section, name)});
      return;
    }
    written_.put(path, std::move(value));
  }

  void read_section(const std::string& section, const WrittenValue& value) {
    if (value.node.IsNull()) return;
    if (!value.node.IsMap()) {
      problems_.push_back({value.place, section,
                           fmt::format("expected a mapping of {}, found {}",
                                       fmt::join(names_in(section), ", "), describe(value.node))});
      return;
    }
    read(value.node, section, value.place);
  }

  Written& written_;
  std::vector<Problem>& problems_;
};

void forget_section(std::string_view section, Written& written) {
  std::erase_if(written.values, [&](const auto& entry) {
    return entry.first.size() > section.size() && entry.first.starts_with(section) &&
           entry.first[section.size()] == '.';
  });
}

// `plugins.NAME...`: NAME may contain dots (a path), so only the part after the last dot is an option.
bool read_plugin_override(std::string_view path, const WrittenValue& value, Written& written) {
  if (!path.starts_with("plugins.") || path.size() == kPlugins.size() + 1) return false;
  const std::string_view rest = path.substr(kPlugins.size() + 1);
  const auto dot = rest.rfind('.');
  const bool names_file = rest.ends_with(".so");
  if (dot == std::string_view::npos || names_file) {
    written.plugin_overrides.push_back({std::string(rest), {}, value});
  } else {
    written.plugin_overrides.push_back(
        {std::string(rest.substr(0, dot)), std::string(rest.substr(dot + 1)), value});
  }
  return true;
}

// Another card in the place of the file's has that one's clock, answers and number; its memory is its own.
YAML::Node other_card(const YAML::Node& device, const YAML::Node& earlier) {
  if (!device.IsMap() || !device["dry"] || !earlier.IsMap()) return device;
  YAML::Node merged = YAML::Clone(device);
  for (const auto& entry : earlier) {
    const auto key = entry.first.as<std::string>("");
    if (key != "memory" && !merged[key]) merged[key] = YAML::Clone(entry.second);
  }
  return merged;
}

}  // namespace

std::string key_path(std::string_view section, std::string_view name) {
  return section.empty() ? std::string(name) : fmt::format("{}.{}", section, name);
}

void Written::put(const std::string& path, WrittenValue value) {
  values.erase(path);
  values.emplace(path, std::move(value));
}

Place Written::place_of(std::string_view path) const {
  if (const auto value = values.find(path); value != values.end()) return value->second.place;
  const auto section = sections.find(path.substr(0, path.find('.')));
  return section != sections.end() ? section->second : file;
}

void read_file_keys(const YAML::Node& root, const std::string& source, Written& written,
                    std::vector<Problem>& problems) {
  written.file = {.source = source};
  MappingReader(written, problems).read(root, "", {.source = source, .line = 1, .column = 1});
}

void read_override(std::string_view text, Written& written, std::vector<Problem>& problems) {
  const Place place{
      .source = fmt::format("command line: {}", text), .line = 0, .column = 0, .command_line = true};
  const auto equals = text.find('=');
  if (equals == std::string_view::npos || equals == 0) {
    problems.push_back({place, "", "expected key.path=value, such as optimizer.lr=1e-3"});
    return;
  }
  const std::string path(text.substr(0, equals));
  std::optional<YAML::Node> node;
  try {
    node = parse_value(std::string(text.substr(equals + 1)));
  } catch (const YAML::Exception& error) {
    problems.push_back({place, path, fmt::format("the value is not valid YAML: {}", error.msg)});
    return;
  }
  WrittenValue value{.node = *node, .place = place};
  if (path == kPlugins) written.plugin_overrides.clear();
  if (read_plugin_override(path, value, written)) return;

  const Key* const key = find_key(path);
  const auto dot = path.find('.');
  const std::string section = dot == std::string::npos ? std::string() : path.substr(0, dot);
  if (find_section(path) != nullptr) {
    forget_section(path, written);
    YAML::Node wrapped;
    wrapped[path] = value.node;
    MappingReader(written, problems).read(wrapped, "", place);
  } else if (key != nullptr) {
    if (const auto earlier = written.values.find(path); path == "device" && earlier != written.values.end())
      value.node = other_card(value.node, earlier->second.node);
    written.put(path, std::move(value));
  } else if (!section.empty() && find_section(section) == nullptr) {
    problems.push_back({place, path, unknown_section(section, path.substr(dot + 1))});
  } else {
    problems.push_back(
        {place, path, unknown_key(section, dot == std::string::npos ? path : path.substr(dot + 1))});
  }
}

}  // namespace strata::config

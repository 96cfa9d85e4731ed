// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/schema.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "host/config/reading/value.hpp"

namespace strata::config {
namespace {

struct Expectation {
  std::string operator()(const TextType& type) const {
    if (!type.expected.empty()) return std::string(type.expected);
    return type.folder_name
               ? "a name of letters, digits, '.', '_' and '-' that does not begin with '.' or '-'"
               : "a text";
  }

  std::string operator()(const ChoiceType& type) const {
    if (type.names.size() == 1) return fmt::format("'{}'", type.names.front());
    return fmt::format("one of {}", fmt::join(type.names, ", "));
  }

  std::string operator()(const FlagType&) const { return "true or false"; }

  std::string operator()(const IntegerType& type) const {
    if (type.maximum == INT64_MAX) return fmt::format("an integer of at least {}", type.minimum);
    return fmt::format("an integer from {} to {}", type.minimum, type.maximum);
  }

  std::string operator()(const BytesType& type) const {
    std::string bytes = "a number of bytes such as 65536, 64KiB or 1.5GiB";
    if (type.maximum == INT64_MAX && type.minimum == 0) return bytes;
    return fmt::format("{}, from {} to {}", bytes, format_bytes(type.minimum), format_bytes(type.maximum));
  }

  std::string operator()(const RealType& type) const {
    std::string text = "a number";
    if (type.minimum) text += fmt::format(" {} {}", type.open_minimum ? "above" : "from", *type.minimum);
    if (type.maximum) text += fmt::format(" {} {}", type.open_maximum ? "below" : "to", *type.maximum);
    return text;
  }

  std::string operator()(const RangeType& type) const {
    return fmt::format("a range such as 3-8, or one number, from 0 to {}", type.maximum);
  }

  std::string operator()(const FileType&) const { return "a file"; }
  std::string operator()(const PathType&) const { return "a file"; }
  std::string operator()(const PathListType&) const { return "a file, folder or pattern, or a list of them"; }
  std::string operator()(const NameListType&) const { return "a name, or a list of names"; }
  std::string operator()(const PluginListType&) const {
    return "a list of plugins, each a name or {name: {option: value}}";
  }
  std::string operator()(const ComputeDeviceType&) const {
    return "cpu, cuda, cuda:<number>, or {dry: <profile>, count: <devices>} with a profile of `strata "
           "devices`";
  }
  std::string operator()(const CheckpointingType&) const {
    return "none, block, {every: <blocks>} or {select: attention or mlp}, optionally with reentrant: true or "
           "offload: true";
  }
};

}  // namespace

std::string Condition::text() const {
  if (values.size() < 2) return fmt::format("{}: {}", key, fmt::join(values, ""));
  return fmt::format("{}: {} or {}", key, fmt::join(values.begin(), values.end() - 1, ", "), values.back());
}

std::string_view Key::section() const {
  const auto dot = path.find('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

std::string_view Key::name() const {
  return path.substr(path.find('.') + 1);
}

const Key* find_key(std::string_view path) {
  const auto all = keys();
  const auto found = std::ranges::find(all, path, &Key::path);
  return found == all.end() ? nullptr : &*found;
}

const Section* find_section(std::string_view path) {
  const auto all = sections();
  const auto found = std::ranges::find(all, path, &Section::path);
  return found == all.end() ? nullptr : &*found;
}

std::string_view chosen_name(const RunConfig& config, std::string_view key) {
  const auto& choice = std::get<ChoiceType>(find_key(key)->type);
  return choice.names[choice.get(config, choice.names)];
}

std::vector<std::string_view> names_in(std::string_view section) {
  std::vector<std::string_view> names;
  for (const Key& key : keys()) {
    if (key.section() == section) names.push_back(key.name());
  }
  if (section.empty()) {
    for (const Section& at_top : sections()) names.push_back(at_top.path);
  }
  return names;
}

std::string expectation(const Type& type) {
  return std::visit(Expectation{}, type);
}

}  // namespace strata::config

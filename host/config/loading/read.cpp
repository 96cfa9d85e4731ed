// SPDX-License-Identifier: Apache-2.0
#include "host/config/loading/read.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "host/config/files/paths.hpp"
#include "host/config/loading/plugin_list.hpp"
#include "host/config/nearest.hpp"
#include "host/config/reading/node.hpp"
#include "host/config/reading/value.hpp"
#include "host/config/schema/checkpointing.hpp"
#include "host/config/schema/compute_device.hpp"

namespace strata::config {
namespace {

constexpr std::string_view kQuotedTag = "!";

bool is_folder_name(std::string_view text) {
  const auto allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
  };
  return !text.empty() && text.size() <= 100 && text[0] != '.' && text[0] != '-' &&
         std::ranges::all_of(text, allowed);
}

// The word that a choice is made by: `every` in {every: 2}.
std::string_view chosen_word(const YAML::Node& node) {
  if (node.IsScalar()) return node.Scalar();
  if (node.IsMap() && node.size() > 0 && node.begin()->first.IsScalar()) return node.begin()->first.Scalar();
  return {};
}

// Sets the field from one node; returns the error, if any.
class Setter {
 public:
  Setter(const Key& key, const WrittenValue& value, RunConfig& config, std::vector<Problem>& problems)
      : key_(key), value_(value), node_(value.node), config_(config), problems_(problems) {}

  void operator()(const TextType& type) {
    if (!node_.IsScalar() || (type.folder_name && !is_folder_name(node_.Scalar()))) return refuse();
    type.set(config_, node_.Scalar());
  }

  void operator()(const ChoiceType& type) {
    if (node_.IsScalar()) {
      const auto found = std::ranges::find(type.names, std::string_view(node_.Scalar()));
      if (found != type.names.end()) {
        return type.set(config_, type.names, static_cast<std::size_t>(found - type.names.begin()));
      }
    }
    if (std::ranges::find(type.later, chosen_word(node_)) != type.later.end()) {
      return problem(fmt::format("'{}' is not in this version of Strata; available: {}", chosen_word(node_),
                                 fmt::join(type.names, ", ")));
    }
    problem(fmt::format("expected {}, found {}{}", expectation(key_.type), describe(node_),
                        node_.IsScalar() ? did_you_mean(node_.Scalar(), type.names) : ""));
  }

  void operator()(const FlagType& type) {
    if (const auto flag = plain(parse_flag)) return type.set(config_, *flag);
    refuse();
  }

  void operator()(const IntegerType& type) {
    const auto number = plain(parse_integer);
    if (!number || *number < type.minimum || *number > type.maximum) return refuse();
    type.set(config_, *number);
  }

  void operator()(const BytesType& type) {
    const auto bytes = node_.IsScalar() ? parse_bytes(node_.Scalar()) : std::nullopt;
    if (!bytes || *bytes < type.minimum || *bytes > type.maximum) return refuse();
    type.set(config_, *bytes);
  }

  void operator()(const RealType& type) {
    const auto number = plain(parse_real);
    if (!number) return refuse();
    const bool below =
        type.minimum && (type.open_minimum ? *number <= *type.minimum : *number < *type.minimum);
    const bool above =
        type.maximum && (type.open_maximum ? *number >= *type.maximum : *number > *type.maximum);
    if (below || above) return refuse();
    type.set(config_, *number);
  }

  void operator()(const RangeType& type) {
    const auto range = plain(parse_range);
    if (!range || range->last > type.maximum) return refuse();
    type.set(config_, range->first, range->last);
  }

  void operator()(const FileType&) {}

  void operator()(const PathType& type) {
    if (!node_.IsScalar() || node_.Scalar().empty()) return refuse();
    try {
      const std::filesystem::path file = base() / expand_variables(node_.Scalar());
      type.set(config_, std::filesystem::absolute(file).lexically_normal().string());
    } catch (const std::invalid_argument& error) {
      problem(error.what());
    }
  }

  void operator()(const PathListType& type) {
    std::vector<std::string> patterns;
    if (node_.IsScalar()) {
      add_pattern(node_, patterns);
    } else if (node_.IsSequence()) {
      for (const YAML::Node& element : node_) add_pattern(element, patterns);
    } else {
      return refuse();
    }
    type.set(config_, std::move(patterns));
  }

  void operator()(const NameListType& type) {
    const auto is_name = [](const YAML::Node& node) { return node.IsScalar() && !node.Scalar().empty(); };
    if (is_name(node_)) return type.set(config_, {node_.Scalar()});
    if (!node_.IsSequence() || node_.size() == 0 || !std::ranges::all_of(node_, is_name)) return refuse();
    std::vector<std::string> names;
    for (const YAML::Node& element : node_) names.push_back(element.Scalar());
    type.set(config_, std::move(names));
  }

  void operator()(const PluginListType& type) {
    if (node_.IsNull()) return type.set(config_, {});
    if (!node_.IsSequence()) return refuse();
    type.set(config_, read_plugins(value_, base(), problems_));
  }

  void operator()(const ComputeDeviceType& type) {
    if (auto device = read_device(value_, base(), problems_)) type.set(config_, std::move(*device));
  }

  void operator()(const CheckpointingType& type) {
    if (const auto checkpointing = read_checkpointing(value_, problems_)) type.set(config_, *checkpointing);
  }

 private:
  // A value that is not marked as text by YAML quotes.
  template <typename Value>
  std::optional<Value> plain(std::optional<Value> (*parse)(std::string_view)) const {
    if (!node_.IsScalar() || node_.Tag() == kQuotedTag) return std::nullopt;
    return parse(node_.Scalar());
  }

  std::filesystem::path base() const { return value_.place.folder(); }

  void add_pattern(const YAML::Node& element, std::vector<std::string>& patterns) {
    const Place place = config::place_of(element, value_.place);
    if (!element.IsScalar() || element.Scalar().empty()) {
      problems_.push_back({place, std::string(key_.path),
                           fmt::format("expected a file, folder or pattern, found {}", describe(element))});
      return;
    }
    try {
      patterns.push_back(absolute_pattern(element.Scalar(), base()));
    } catch (const std::invalid_argument& error) {
      problems_.push_back({place, std::string(key_.path), error.what()});
    }
  }

  void refuse() {
    const bool quoted = node_.IsScalar() && node_.Tag() == kQuotedTag;
    problem(fmt::format("expected {}, found {}{}", expectation(key_.type), describe(node_),
                        quoted ? " in quotes" : ""));
  }

  void problem(std::string message) {
    problems_.push_back({value_.place, std::string(key_.path), std::move(message)});
  }

  const Key& key_;
  const WrittenValue& value_;
  const YAML::Node& node_;
  RunConfig& config_;
  std::vector<Problem>& problems_;
};

}  // namespace

void read_value(const Key& key, const WrittenValue& value, RunConfig& config,
                std::vector<Problem>& problems) {
  std::visit(Setter(key, value, config, problems), key.type);
}

}  // namespace strata::config

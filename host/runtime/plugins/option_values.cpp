// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/plugins/option_values.hpp"

#include <fmt/format.h>

#include <set>
#include <span>
#include <stdexcept>

#include "strata/runtime/nearest_name.hpp"

namespace strata {
namespace {

std::string opening(const std::string& place) {
  return place.empty() ? std::string() : place + ": ";
}

std::string unknown_key(const strata_descriptor& descriptor, const PluginOption& given,
                        const std::vector<std::string>& keys) {
  if (keys.empty()) {
    return fmt::format("{}plugin '{}' has no options; remove '{}'.", opening(given.place), descriptor.id,
                       given.key);
  }
  return fmt::format("{}plugin '{}' has no option '{}'.{} Its options: {}.", opening(given.place),
                     descriptor.id, given.key, did_you_mean(given.key, keys), fmt::join(keys, ", "));
}

}  // namespace

OptionValues OptionValues::resolve(const strata_descriptor& descriptor,
                                   const std::vector<PluginOption>& configured,
                                   std::vector<std::string>& problems) {
  const std::span declared(descriptor.options, descriptor.option_count);
  OptionValues resolved;
  for (const strata_option& option : declared) {
    resolved.order_.emplace_back(option.key);
    try {
      resolved.values_.emplace(option.key, parse_option(option, option.default_text));
    } catch (const std::invalid_argument& error) {
      problems.push_back(fmt::format("plugin '{}' is broken: the default of its option '{}': {}.",
                                     descriptor.id, option.key, error.what()));
    }
  }

  std::set<std::string> given_keys;
  for (const PluginOption& given : configured) {
    const strata_option* option = nullptr;
    for (const strata_option& candidate : declared) {
      if (given.key == candidate.key) option = &candidate;
    }
    if (option == nullptr) {
      problems.push_back(unknown_key(descriptor, given, resolved.order_));
      continue;
    }
    if (!given_keys.insert(given.key).second) {
      problems.push_back(fmt::format("{}option '{}' of plugin '{}' is given twice; keep one.",
                                     opening(given.place), given.key, descriptor.id));
      continue;
    }
    try {
      resolved.values_.insert_or_assign(given.key, parse_option(*option, given.text));
    } catch (const std::invalid_argument& error) {
      problems.push_back(fmt::format("{}option '{}' of plugin '{}': {}.", opening(given.place), given.key,
                                     descriptor.id, error.what()));
    }
  }
  return resolved;
}

template <typename Type>
const Type* OptionValues::find(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? nullptr : std::get_if<Type>(&found->second);
}

const bool* OptionValues::flag(std::string_view key) const {
  return find<bool>(key);
}
const std::int64_t* OptionValues::integer(std::string_view key) const {
  return find<std::int64_t>(key);
}
const double* OptionValues::real(std::string_view key) const {
  return find<double>(key);
}
const std::string* OptionValues::text(std::string_view key) const {
  return find<std::string>(key);
}

std::string OptionValues::summary() const {
  std::string line;
  for (const std::string& key : order_) {
    const auto found = values_.find(key);
    if (found == values_.end()) continue;
    line +=
        fmt::format("{}{}={}", line.empty() ? "" : ", ", key,
                    std::visit([](const auto& value) { return fmt::format("{}", value); }, found->second));
  }
  return line;
}

}  // namespace strata

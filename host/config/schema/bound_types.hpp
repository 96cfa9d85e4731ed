// SPDX-License-Identifier: Apache-2.0
// The schema's types, bound to a field of RunConfig given by member pointers: integer<&RunConfig::schedule,
// &ScheduleConfig::wait>(0, 10).
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/config/schema/schema.hpp"

namespace strata::config::bound {

// NOLINTBEGIN(performance-unnecessary-value-param): that a template moves them is not seen

template <auto... members>
TextType text() {
  return {.get = [](const RunConfig& config) { return (config.*....*members); },
          .set = [](RunConfig& config, std::string value) { (config.*....*members) = std::move(value); }};
}

template <auto... members>
TextType folder_name() {
  TextType type = text<members...>();
  type.folder_name = true;
  return type;
}

template <auto... members>
TextType one_of(std::vector<std::string_view> names, std::string_view expected) {
  TextType type = text<members...>();
  type.names = std::move(names);
  type.expected = expected;
  return type;
}

// The field is a text that is set to the chosen name, or an enumeration whose values are in the order of
// `names`.
template <auto... members>
ChoiceType choice(std::vector<std::string_view> names, std::vector<std::string_view> later = {}) {
  return {.names = std::move(names),
          .later = std::move(later),
          .get =
              [](const RunConfig& config, std::span<const std::string_view> names) {
                const auto& field = (config.*....*members);
                if constexpr (std::same_as<std::remove_cvref_t<decltype(field)>, std::string>) {
                  return static_cast<std::size_t>(std::ranges::find(names, field) - names.begin());
                } else {
                  return static_cast<std::size_t>(field);
                }
              },
          .set =
              [](RunConfig& config, std::span<const std::string_view> names, std::size_t chosen) {
                auto& field = (config.*....*members);
                using Field = std::remove_cvref_t<decltype(field)>;
                if constexpr (std::same_as<Field, std::string>) {
                  field = names[chosen];
                } else {
                  field = static_cast<Field>(chosen);
                }
              }};
}

template <auto... members>
FlagType flag() {
  return {.get = [](const RunConfig& config) { return (config.*....*members); },
          .set = [](RunConfig& config, bool value) { (config.*....*members) = value; }};
}

template <auto... members>
std::int64_t get_integer(const RunConfig& config) {
  return static_cast<std::int64_t>((config.*....*members));
}

template <auto... members>
void set_integer(RunConfig& config, std::int64_t value) {
  auto& field = (config.*....*members);
  field = static_cast<std::remove_cvref_t<decltype(field)>>(value);
}

template <auto... members>
IntegerType integer(std::int64_t minimum, std::int64_t maximum) {
  return {
      .get = get_integer<members...>, .set = set_integer<members...>, .minimum = minimum, .maximum = maximum};
}

template <auto... members>
BytesType bytes(std::int64_t minimum, std::int64_t maximum) {
  return {
      .get = get_integer<members...>, .set = set_integer<members...>, .minimum = minimum, .maximum = maximum};
}

template <auto... members>
RealType real() {
  return {.get = [](const RunConfig& config) { return (config.*....*members); },
          .set = [](RunConfig& config, double value) { (config.*....*members) = value; }};
}

template <auto... members>
RealType real_from(double minimum) {
  RealType type = real<members...>();
  type.minimum = minimum;
  return type;
}

template <auto... members>
RealType real_above(double minimum) {
  RealType type = real_from<members...>(minimum);
  type.open_minimum = true;
  return type;
}

// A fraction less than one: [0, 1).
template <auto... members>
RealType fraction() {
  RealType type = real_from<members...>(0.0);
  type.maximum = 1.0;
  type.open_maximum = true;
  return type;
}

// A fraction up to one: [0, 1].
template <auto... members>
RealType share() {
  RealType type = real_from<members...>(0.0);
  type.maximum = 1.0;
  return type;
}

// (0, 1].
template <auto... members>
RealType positive_share() {
  RealType type = share<members...>();
  type.open_minimum = true;
  return type;
}

// (0, 1).
template <auto... members>
RealType open_fraction() {
  RealType type = fraction<members...>();
  type.open_minimum = true;
  return type;
}

template <auto... members>
PathType path() {
  return {.get = [](const RunConfig& config) { return (config.*....*members).string(); },
          .set = [](RunConfig& config, std::string value) { (config.*....*members) = std::move(value); }};
}

template <auto... members>
PathListType path_list() {
  return {.get = [](const RunConfig& config) -> const std::vector<std::string>& {
            return (config.*....*members);
          },
          .set = [](RunConfig& config,
                    std::vector<std::string> value) { (config.*....*members) = std::move(value); }};
}

template <auto... members>
NameListType name_list() {
  return {.get = [](const RunConfig& config) -> const std::vector<std::string>& {
            return (config.*....*members);
          },
          .set = [](RunConfig& config,
                    std::vector<std::string> value) { (config.*....*members) = std::move(value); }};
}

template <auto... members>
PluginListType plugin_list() {
  return {.get = [](const RunConfig& config) -> const std::vector<PluginRequest>& {
            return (config.*....*members);
          },
          .set = [](RunConfig& config,
                    std::vector<PluginRequest> value) { (config.*....*members) = std::move(value); }};
}

template <auto... members>
CheckpointingType checkpointing() {
  return {.get = [](const RunConfig& config) -> const CheckpointingConfig& { return (config.*....*members); },
          .set = [](RunConfig& config, CheckpointingConfig value) { (config.*....*members) = value; }};
}

template <auto... members>
ComputeDeviceType compute_device() {
  return {.get = [](const RunConfig& config) -> const DeviceConfig& { return (config.*....*members); },
          .set = [](RunConfig& config, DeviceConfig value) { (config.*....*members) = std::move(value); }};
}

// NOLINTEND(performance-unnecessary-value-param)

}  // namespace strata::config::bound

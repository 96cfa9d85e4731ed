// SPDX-License-Identifier: Apache-2.0
#include "host/runtime/session/manifest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "host/runtime/private_file.hpp"

namespace strata {
namespace {

constexpr std::array<std::string_view, 15> kOwnSections = {
    "schema", "name",   "state",   "end",     "strata", "process",   "begin_time", "end_time",
    "host",   "window", "sources", "plugins", "faults", "artifacts", "store"};

}  // namespace

void Manifest::set(std::string_view section, nlohmann::ordered_json value) {
  document_[std::string(section)] = std::move(value);
}

void Manifest::describe(std::string_view section, std::string_view json) {
  if (std::ranges::find(kOwnSections, section) != kOwnSections.end()) {
    throw std::invalid_argument(
        fmt::format("manifest section '{}' is reserved for the session; choose another name", section));
  }
  nlohmann::ordered_json value = nlohmann::ordered_json::parse(json, nullptr, false);
  if (value.is_discarded()) {
    throw std::invalid_argument(
        fmt::format("manifest section '{}': not a JSON value: {}", section, json.substr(0, 200)));
  }
  document_[std::string(section)] = std::move(value);
}

void Manifest::write() const {
  write_private_file(path_,
                     document_.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
}

}  // namespace strata

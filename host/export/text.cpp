// SPDX-License-Identifier: Apache-2.0
#include "host/export/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace strata::exports {

using nlohmann::json;

constexpr std::string_view kFormulaOpenings = "=+-@\t\r";

std::string valid_text(std::string_view text) {
  return json::parse(json_text(text)).get<std::string>();
}

std::string json_text(std::string_view text) {
  return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::string json_number(double number) {
  return std::isfinite(number) ? fmt::format("{}", number) : "null";
}

std::string csv_text(std::string_view text) {
  std::string valid = valid_text(text);
  if (!valid.empty() && kFormulaOpenings.find(valid.front()) != std::string_view::npos)
    valid.insert(0, 1, '\'');
  if (valid.find_first_of(",\"\r\n") == std::string::npos) return valid;
  std::string quoted = "\"";
  for (const char character : valid) {
    if (character == '"') quoted += '"';
    quoted += character;
  }
  return quoted + '"';
}

}  // namespace strata::exports

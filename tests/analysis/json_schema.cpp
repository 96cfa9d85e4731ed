// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/json_schema.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

namespace strata::analysis::testing {
namespace {

using Json = nlohmann::json;

bool is_of_type(const std::string& type, const Json& value) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "null") return value.is_null();
  throw std::logic_error("no JSON type is called " + type);
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  void check(const Json& schema, const Json& value, const std::string& place) {
    static const std::set<std::string> notes = {"$schema", "$id", "$defs", "title", "description"};
    for (const auto& [keyword, argument] : schema.items()) {
      if (notes.contains(keyword)) continue;
      if (keyword == "$ref") {
        check(root_.at(Json::json_pointer(argument.get<std::string>().substr(1))), value, place);
      } else if (keyword == "anyOf") {
        check_any(argument, value, place);
      } else if (keyword == "type") {
        check_type(argument, value, place);
      } else if (keyword == "const") {
        if (value != argument) add(place, "is not " + argument.dump());
      } else if (keyword == "enum") {
        if (std::find(argument.begin(), argument.end(), value) == argument.end())
          add(place, "is none of " + argument.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value < argument) add(place, "is below " + argument.dump());
      } else if (keyword == "required") {
        for (const Json& key : argument) {
          if (value.is_object() && !value.contains(key.get<std::string>()))
            add(place, "has no " + key.dump());
        }
      } else if (keyword == "properties") {
        check_properties(schema, value, place);
      } else if (keyword == "items") {
        if (!value.is_array()) continue;
        for (std::size_t item = 0; item < value.size(); ++item)
          check(argument, value[item], place + "/" + std::to_string(item));
      } else if (keyword != "additionalProperties") {
        throw std::logic_error("the schema uses " + keyword + ", which this check does not know");
      }
    }
  }

  std::vector<std::string> found;

 private:
  void add(const std::string& place, const std::string& what) { found.push_back(place + ": " + what); }

  void check_type(const Json& types, const Json& value, const std::string& place) {
    const Json list = types.is_array() ? types : Json::array({types});
    const bool fits =
        std::any_of(list.begin(), list.end(), [&](const Json& type) { return is_of_type(type, value); });
    if (!fits) add(place, "is not of type " + types.dump());
  }

  void check_any(const Json& schemas, const Json& value, const std::string& place) {
    std::vector<std::string> of_last;
    for (const Json& schema : schemas) {
      Validator alone(root_);
      alone.check(schema, value, place);
      if (alone.found.empty()) return;
      of_last = std::move(alone.found);
    }
    found.insert(found.end(), of_last.begin(), of_last.end());
  }

  void check_properties(const Json& schema, const Json& value, const std::string& place) {
    if (!value.is_object()) return;
    const Json& properties = schema.at("properties");
    for (const auto& [key, member] : value.items()) {
      if (properties.contains(key)) {
        check(properties.at(key), member, place + "/" + key);
      } else if (schema.value("additionalProperties", true) == false) {
        add(place, "has an unknown key " + key);
      }
    }
  }

  const Json& root_;
};

}  // namespace

std::vector<std::string> violations(const Json& schema, const Json& value) {
  Validator validator(schema);
  validator.check(schema, value, "");
  return validator.found;
}

}  // namespace strata::analysis::testing

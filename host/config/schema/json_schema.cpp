// SPDX-License-Identifier: Apache-2.0
#include "host/config/schema/json_schema.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/config/reading/value.hpp"
#include "host/config/schema/checkpointing.hpp"
#include "host/config/schema/compute_device.hpp"
#include "host/config/schema/schema.hpp"

namespace strata::config {
namespace {

using Json = nlohmann::ordered_json;

struct TypeSchema {
  Json operator()(const TextType& type) const {
    Json schema{{"type", "string"}};
    if (!type.names.empty()) schema["enum"] = type.names;
    if (type.folder_name) schema["pattern"] = "^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$";
    return schema;
  }

  Json operator()(const ChoiceType& type) const { return {{"enum", type.names}}; }

  Json operator()(const FlagType&) const { return {{"type", "boolean"}}; }

  Json operator()(const IntegerType& type) const {
    return {{"type", "integer"}, {"minimum", type.minimum}, {"maximum", type.maximum}};
  }

  Json operator()(const BytesType& type) const {
    const Json number{{"type", "integer"}, {"minimum", type.minimum}, {"maximum", type.maximum}};
    const Json text{{"type", "string"}, {"pattern", R"(^[+]?([0-9]+[.]?[0-9]*|[.][0-9]+) *([KMGT]i)?B$)"}};
    return {{"anyOf", {number, text}}};
  }

  Json operator()(const RealType& type) const {
    Json schema{{"type", "number"}};
    if (type.minimum) schema[type.open_minimum ? "exclusiveMinimum" : "minimum"] = *type.minimum;
    if (type.maximum) schema[type.open_maximum ? "exclusiveMaximum" : "maximum"] = *type.maximum;
    return schema;
  }

  Json operator()(const RangeType& type) const {
    const Json number{{"type", "integer"}, {"minimum", 0}, {"maximum", type.maximum}};
    const Json range{{"type", "string"}, {"pattern", "^[0-9]+-[0-9]+$"}};
    return {{"anyOf", {number, range}}};
  }

  Json operator()(const PathType&) const { return {{"type", "string"}, {"minLength", 1}}; }
  Json operator()(const FileType&) const { return {{"type", "string"}, {"minLength", 1}}; }

  Json operator()(const PathListType&) const {
    const Json path{{"type", "string"}, {"minLength", 1}};
    return {{"anyOf", {path, {{"type", "array"}, {"items", path}}}}};
  }

  Json operator()(const NameListType&) const {
    const Json name{{"type", "string"}, {"minLength", 1}};
    return {{"anyOf", {name, {{"type", "array"}, {"minItems", 1}, {"items", name}}}}};
  }

  Json operator()(const PluginListType&) const {
    const Json options{{"type", {"object", "null"}},
                       {"additionalProperties", {{"type", {"string", "number", "boolean"}}}}};
    const Json name{{"type", "string"}, {"minLength", 1}};
    const Json with_options{
        {"type", "object"}, {"minProperties", 1}, {"maxProperties", 1}, {"additionalProperties", options}};
    return {{"type", {"array", "null"}}, {"items", {{"anyOf", {name, with_options}}}}};
  }

  Json operator()(const ComputeDeviceType&) const {
    const Json real{{"type", "string"}, {"pattern", "^(cpu|cuda(:[0-9]{1,2})?)$"}};
    const Json profile{{"type", "string"}, {"minLength", 1}};
    const Json count{{"type", "integer"}, {"minimum", 1}, {"maximum", kMostDryDevices}};
    const Json file{{"type", "string"}, {"minLength", 1}};
    const Json workspace{{"type", {"integer", "string"}},
                         {"minimum", 0},
                         {"maximum", kMostWorkspaceBytes},
                         {"pattern", "^[0-9.]+ ?([KMG]i)?B?$"}};
    const Json memory{{"type", {"integer", "string"}},
                      {"minimum", kLeastDryMemoryBytes},
                      {"maximum", kMostDryMemoryBytes},
                      {"pattern", "^[0-9.]+ ?([KMGT]i)?B?$"}};
    const Json dry{{"type", "object"},
                   {"required", {"dry"}},
                   {"additionalProperties", false},
                   {"properties",
                    {{"dry", profile},
                     {"count", count},
                     {"memory", memory},
                     {"answers", file},
                     {"clock", {{"enum", {"none", "modelled"}}}},
                     {"cudnn_workspaces", {{"enum", {"asked", "off"}}}},
                     {"cudnn_workspace", workspace},
                     {"cusolver_workspace", workspace},
                     {"nccl_memory", workspace}}}};
    return {{"anyOf", {real, dry}}};
  }

  Json operator()(const CheckpointingType&) const {
    const Json every{{"type", "integer"}, {"minimum", 1}, {"maximum", kMostBlocks}};
    const Json flag{{"type", "boolean"}};
    const auto mapping = [&](const char* name, const Json& value) {
      return Json{{"type", "object"},
                  {"required", {name}},
                  {"additionalProperties", false},
                  {"properties", {{name, value}, {"reentrant", flag}, {"offload", flag}}}};
    };
    return {{"anyOf",
             {Json{{"enum", {"none", "block"}}}, mapping("every", every),
              mapping("select", {{"enum", {"attention", "mlp"}}})}}};
  }
};

// The default as JSON, of the type that the key has.
struct DefaultValue {
  std::string text;

  Json operator()(const FlagType&) const { return parse_flag(text).value(); }
  Json operator()(const IntegerType&) const { return parse_integer(text).value(); }
  Json operator()(const RealType&) const { return parse_real(text).value(); }
  Json operator()(const BytesType&) const {
    const auto number = parse_integer(text);
    return number ? Json(*number) : Json(text);
  }
  Json operator()(const PathListType&) const { return Json::array(); }
  Json operator()(const PluginListType&) const { return Json::array(); }
  template <typename Other>
  Json operator()(const Other&) const {
    return text;
  }
};

Json key_schema(const Key& key) {
  Json schema = std::visit(TypeSchema{}, key.type);
  schema["description"] = key.help;
  if (!key.default_text.empty())
    schema["default"] = std::visit(DefaultValue{std::string(key.default_text)}, key.type);
  return schema;
}

bool holds_by_default(const Condition& condition) {
  return std::ranges::find(condition.values, find_key(condition.key)->default_text) != condition.values.end();
}

// Applies to the object that contains the condition's key.
Json condition_schema(const Condition& condition) {
  const Key& key = *find_key(condition.key);
  Json holds{{"properties", {{std::string(key.name()), {{"enum", condition.values}}}}}};
  if (!holds_by_default(condition)) holds["required"] = Json::array({key.name()});
  return holds;
}

// Unless its condition holds the key must be absent: a rule for the object that holds the condition's key.
Json absence_schema(const Key& key) {
  const Key& other = *find_key(key.only_when->key);
  Json absent{{"properties", {{std::string(key.name()), false}}}};
  if (other.section() != key.section())
    absent = {{"properties", {{std::string(key.section()), std::move(absent)}}}};
  return {{"if", condition_schema(*key.only_when)}, {"then", true}, {"else", absent}};
}

// If its condition holds, the key or its replacement is required.
Json requirement_schema(const Key& key) {
  const auto is_there = [](std::string_view name) { return Json{{"required", Json::array({name})}}; };
  Json there = Json::array({is_there(key.name())});
  if (!key.unless_written.empty()) there.push_back(is_there(find_key(key.unless_written)->name()));
  return {{"if", condition_schema(*key.required_when)}, {"then", {{"anyOf", there}}}};
}

// An object of the section's keys; at the top, without those of sections.
Json object_schema(std::string_view section) {
  Json schema{{"type", "object"}, {"additionalProperties", false}, {"properties", Json::object()}};
  for (const Key& key : keys()) {
    if (key.only_when && find_key(key.only_when->key)->section() == section)
      schema["allOf"].push_back(absence_schema(key));
    if (key.section() != section) continue;
    schema["properties"][std::string(key.name())] = key_schema(key);
    if (key.required) schema["required"].push_back(key.name());
    if (key.required_when) schema["allOf"].push_back(requirement_schema(key));
    for (const std::string_view other : key.instead_of) {
      schema["dependentSchemas"][std::string(key.name())]["properties"]
            [std::string(find_key(other)->name())] = false;
    }
  }
  return schema;
}

}  // namespace

std::string json_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", "A run of Strata"}};
  schema.update(object_schema(""));
  for (const Section& section : sections()) {
    Json object = object_schema(section.path);
    object["description"] = section.help;
    const bool is_required = std::ranges::any_of(keys(), [&](const Key& key) {
      return key.section() == section.path &&
             (key.required || (key.required_when && holds_by_default(*key.required_when)));
    });
    if (is_required) {
      schema["required"].push_back(section.path);
    } else {
      object["type"] = {"object", "null"};
    }
    schema["properties"][std::string(section.path)] = std::move(object);
  }
  return schema.dump(2) + '\n';
}

}  // namespace strata::config

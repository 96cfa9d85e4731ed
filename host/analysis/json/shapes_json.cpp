// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/shapes_json.hpp"

#include <nlohmann/json.hpp>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {

namespace {

nlohmann::ordered_json step_or_null(const Shape& shape) {
  if (shape.step < 0) return nullptr;
  return shape.step;
}

}  // namespace

nlohmann::ordered_json shapes_json(const MemoryFacts& facts, const std::vector<Shape>& shapes) {
  auto list = nlohmann::ordered_json::array();
  for (const Shape& shape : shapes) {
    nlohmann::ordered_json json;
    json["kind"] = name_of(shape.kind).id;
    json["title"] = name_of(shape.kind).title;
    json["device"] = shape.device;
    json["step"] = step_or_null(shape);
    json["steps"] = shape.count;
    json["begin_ns"] = shape.begin_ns - facts.begin_ns;
    json["end_ns"] = shape.end_ns - facts.begin_ns;
    json["at_ns"] = shape.at_ns - facts.begin_ns;
    json["bytes"] = shape.bytes;
    json["level_bytes"] = shape.level_bytes;
    json["layer"] = shape.layer;
    json["sentence"] = shape.sentence;
    json["remedy"] = shape.remedy;
    json["evidence"] = shape.evidence;
    list.push_back(std::move(json));
  }
  return list;
}

nlohmann::ordered_json shapes_summary(const std::vector<Shape>& shapes) {
  auto list = nlohmann::ordered_json::array();
  for (const Shape& shape : shapes) {
    nlohmann::ordered_json json;
    json["kind"] = name_of(shape.kind).id;
    json["step"] = step_or_null(shape);
    json["steps"] = shape.count;
    json["bytes"] = shape.bytes;
    json["layer"] = shape.layer;
    list.push_back(std::move(json));
  }
  return list;
}

std::string shapes_document(const MemoryFacts& facts, const std::vector<Shape>& shapes) {
  nlohmann::ordered_json document;
  document["schema"] = "strata.shapes/1";
  document["measured"] = !facts.dry.has_value();
  document["device"] = facts.device;
  document["window"] = {{"first_step", facts.first_step}, {"last_step", facts.last_step}};
  document["shapes"] = shapes_json(facts, shapes);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis

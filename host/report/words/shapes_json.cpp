// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/shapes_json.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::report {
namespace {

nlohmann::ordered_json shapes_json(const analysis::MemoryFacts& facts,
                                   const std::vector<analysis::Shape>& shapes) {
  auto list = nlohmann::ordered_json::array();
  for (const analysis::Shape& shape : shapes) {
    ShapeWords words = words_of(shape, framework_of(facts));
    nlohmann::ordered_json json;
    json["kind"] = name_of(shape.kind).id;
    json["title"] = name_of(shape.kind).title;
    json["device"] = shape.device;
    json["step"] = shape.step < 0 ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(shape.step);
    json["steps"] = shape.count;
    json["begin_ns"] = shape.begin_ns - facts.begin_ns;
    json["end_ns"] = shape.end_ns - facts.begin_ns;
    json["at_ns"] = shape.at_ns - facts.begin_ns;
    json["bytes"] = shape.bytes;
    json["level_bytes"] = shape.level_bytes;
    json["layer"] = shape.layer;
    json["sentence"] = std::move(words.sentence);
    json["remedy"] = std::move(words.remedy);
    json["evidence"] = std::move(words.evidence);
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace

std::string shapes_document(const analysis::MemoryFacts& facts, const std::vector<analysis::Shape>& shapes) {
  nlohmann::ordered_json document;
  document["schema"] = "strata.shapes/1";
  document["measured"] = !facts.dry.has_value();
  document["device"] = facts.device;
  document["window"] = {{"first_step", facts.first_step}, {"last_step", facts.last_step}};
  document["shapes"] = shapes_json(facts, shapes);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace strata::report

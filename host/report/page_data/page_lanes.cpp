// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <nlohmann/json.hpp>

#include "host/analysis/facts/facts.hpp"
#include "host/report/lanes/notes.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

using nlohmann::json;

constexpr std::size_t kNoteBytes = 1000;

const char* lane_name(LaneKind kind) {
  switch (kind) {
    case LaneKind::kRanges:
      return "ranges";
    case LaneKind::kModules:
      return "modules";
    case LaneKind::kOperators:
      return "operators";
    case LaneKind::kStream:
      break;
  }
  return "stream";
}

json lane_data(const Lane& lane) {
  json data;
  data["kind"] = lane_name(lane.kind);
  data["title"] = lane.title;
  data["count"] = lane.intervals.size();
  data["recorded"] = lane.recorded;
  data["rows"] = lane.rows;
  return data;
}

json product_data(const analysis::ProductRow& product) {
  auto row = json::array();
  for (const std::uint64_t number :
       {std::uint64_t{product.products}, std::uint64_t{product.batch}, std::uint64_t{product.m},
        std::uint64_t{product.n}, std::uint64_t{product.k}, std::uint64_t{product.element_bytes},
        product.bytes})
    row.push_back(number);
  return row;
}

}  // namespace

json lanes_data(const analysis::Facts& facts, const Lanes& lanes, const LaneColumns& columns) {
  json data;
  auto list = json::array(), products = json::array(), notes = json::array();
  for (const Lane& lane : lanes.lanes) list.push_back(lane_data(lane));
  for (const auto& product : columns.products) products.push_back(product_data(product));
  for (const std::string& note : lane_notes(facts, lanes)) notes.push_back(clipped(note, kNoteBytes));
  data["list"] = std::move(list);
  data["products"] = std::move(products);
  data["notes"] = std::move(notes);
  data["host_computes"] = facts.time && facts.time->host_computes;
  data["modelled"] = facts.time && facts.time->modelled;
  data["trace_command"] = clipped(trace_command(facts), kNoteBytes);
  return data;
}

}  // namespace strata::report

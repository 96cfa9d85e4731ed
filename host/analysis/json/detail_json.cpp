// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/json/summary_parts.hpp"

#include <nlohmann/json.hpp>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/largest_blocks.hpp"
#include "host/analysis/stacks/stack_view.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json taken_stack_json(StackView& stacks, const Facts& facts, const Block& block) {
  const TakenStack* const taken = facts.call_stacks.at(block.birth_sequence);
  if (taken == nullptr) return nullptr;
  Json frames = Json::array();
  for (const Frame& frame : stacks.trimmed(taken->stack)) {
    Json json;
    json["function"] = frame_name(frame);
    json["place"] = frame_place(frame);
    frames.push_back(std::move(json));
  }
  return frames;
}

Json remaining_block_json(const Facts& facts, const Block& block, StackView& stacks) {
  const auto text_or_null = [&](std::uint32_t text) {
    return text == 0 ? Json(nullptr) : Json(facts.texts.at(text));
  };
  const PhaseFact* const phase = block.phase == 0 ? nullptr : &facts.phases.at(block.phase - 1);
  const TensorForm& form = facts.forms.at(block.form);
  Json json;
  json["bytes"] = block.bytes;
  json["category"] = to_string(block.category);
  json["kind"] = to_string(block.kind);
  json["tensor"] = text_or_null(block.name);
  json["shape"] = text_or_null(form.shape);
  json["dtype"] = text_or_null(form.dtype);
  json["op"] = text_or_null(block.op);
  json["layer"] = text_or_null(block.layer);
  json["step"] = phase == nullptr || phase->step < 0 ? Json(nullptr) : Json(phase->step);
  json["phase"] = phase == nullptr ? Json(nullptr) : Json(phase->name);
  json["birth_ns"] = block.birth_ns - facts.begin_ns;
  json["death_ns"] =
      block.death_sequence == UINT64_MAX ? Json(nullptr) : Json(block.death_ns - facts.begin_ns);
  json["stack"] = taken_stack_json(stacks, facts, block);
  return json;
}

}  // namespace

std::string detail_document(const Facts& facts, double detail) {
  const LargestBlocks largest = largest_blocks(facts, detail);
  StackView stacks(facts.call_stacks);
  Json blocks = Json::array();
  for (const std::uint32_t index : largest.blocks)
    blocks.push_back(remaining_block_json(facts, facts.blocks[index], stacks));
  Json document;
  document["schema"] = "strata.detail/1";
  document["measured"] = !facts.dry.has_value();
  document["device"] = facts.device;
  document["detail"] = detail;
  document["least_bytes"] = largest.least_bytes;
  document["allocations"] = largest.blocks.size();
  document["bytes"] = largest.bytes;
  document["all_allocations"] = largest.all_blocks;
  document["all_bytes"] = largest.all_bytes;
  document["blocks"] = std::move(blocks);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis

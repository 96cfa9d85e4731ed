// SPDX-License-Identifier: Apache-2.0
#include "host/report/page_data/page_parts.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"

namespace strata::report {
namespace {

using analysis::Shape;

std::vector<const Shape*> largest(const std::vector<Shape>& shapes) {
  std::vector<const Shape*> kept;
  kept.reserve(shapes.size());
  for (const Shape& shape : shapes) kept.push_back(&shape);
  std::ranges::stable_sort(kept, std::greater{}, [](const Shape* shape) { return shape->bytes; });
  kept.resize(std::min(kept.size(), kPageShapes));
  std::ranges::sort(kept);  // they lie in the order of their moments
  return kept;
}

// The allocation of the stream that the block is; null: it is of several, or joined with others there.
nlohmann::json allocation_of(const Shape& shape, const analysis::MemoryFacts& facts,
                             const EventStream& stream) {
  if (shape.block_sequence == 0) return {};
  const auto block =
      std::ranges::lower_bound(facts.blocks, shape.block_sequence, {}, &analysis::Block::birth_sequence);
  if (block == facts.blocks.end() || block->birth_sequence != shape.block_sequence) return {};
  const auto index = static_cast<std::uint32_t>(block - facts.blocks.begin());
  const auto found = std::ranges::find(stream.allocations, index, &StreamAllocation::block);
  if (found == stream.allocations.end()) return {};
  return found - stream.allocations.begin();
}

}  // namespace

nlohmann::json shapes_data(const analysis::MemoryFacts& facts, const std::vector<Shape>& shapes,
                           const EventStream& stream, std::int64_t begin_ns) {
  auto list = nlohmann::json::array();
  for (const Shape* const shape : largest(shapes)) {
    nlohmann::json data;
    data["title"] = name_of(shape->kind).title;
    data["step"] = shape->step;
    data["steps"] = shape->count;
    data["begin"] = shape->begin_ns - begin_ns;
    data["end"] = shape->end_ns - begin_ns;
    data["at"] = shape->at_ns - begin_ns;
    data["bytes"] = shape->bytes;
    data["level"] = shape->level_bytes;
    data["layer"] = clipped(shape->layer, kNameBytes);
    const ShapeWords words = words_of(*shape, framework_of(facts));
    data["sentence"] = clipped(words.sentence, kSentenceBytes);
    data["remedy"] = clipped(words.remedy, kSentenceBytes);
    data["block"] = allocation_of(*shape, facts, stream);
    list.push_back(std::move(data));
  }
  return list;
}

}  // namespace strata::report

// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/peak.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/peak/evaluations.hpp"

namespace strata::analysis {
namespace {

constexpr std::size_t kLargestBlocks = 50;

class Shares {
 public:
  void add(const std::string& label, std::uint64_t bytes) {
    PeakShare& share = shares_[label];
    share.label = label;
    share.bytes += bytes;
    ++share.blocks;
  }

  std::vector<PeakShare> largest_first() const {
    std::vector<PeakShare> sorted;
    for (const auto& [label, share] : shares_) sorted.push_back(share);
    std::sort(sorted.begin(), sorted.end(), [](const PeakShare& left, const PeakShare& right) {
      return left.bytes != right.bytes ? left.bytes > right.bytes : left.label < right.label;
    });
    return sorted;
  }

 private:
  std::unordered_map<std::string, PeakShare> shares_;
};

void place_in_run(const MemoryFacts& facts, Peak& peak) {
  for (const StepFact& step : facts.steps) {
    if (step.is_open_at(peak.sequence)) peak.step = step.index;
  }
  // A phase begins after enclosing ones, so the last one that contains the moment is the innermost.
  for (const PhaseFact& phase : facts.phases) {
    if (phase.is_open_at(peak.sequence)) peak.phase = phase.name;
  }
  if (peak.phase.empty()) peak.phase = Evaluations(facts).phase_at(peak.sequence);
}

}  // namespace

Peak find_peak(const MemoryFacts& facts, const Window& window) {
  const auto highest = highest_point(facts.points, window.begin_sequence, window.end_sequence);
  if (!highest) return {};
  const Point& point = facts.points[*highest];
  // The value at the window's begin was reached earlier; within the window it counts from its begin.
  return alive_at(facts, std::max(point.sequence, window.begin_sequence),
                  std::max(point.ns, window.begin_ns));
}

Peak alive_at(const MemoryFacts& facts, std::uint64_t sequence, std::int64_t ns) {
  Peak peak;
  peak.sequence = sequence;
  peak.ns = ns;
  place_in_run(facts, peak);

  Shares kinds, layers, ops;
  const auto label = [&](std::uint32_t text, const char* otherwise) {
    return text == 0 ? std::string(otherwise) : facts.texts[text];
  };
  for (std::uint32_t index = 0; index < facts.blocks.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (!block.is_alive_at(peak.sequence)) continue;
    peak.allocated_bytes += block.bytes;
    peak.categories[static_cast<std::size_t>(block.category)] += block.bytes;
    kinds.add(fmt::format("{}/{}", to_string(block.category), to_string(block.kind)), block.bytes);
    layers.add(label(block.layer, "(no layer)"), block.bytes);
    ops.add(label(block.op, "(no op)"), block.bytes);
    peak.largest_blocks.push_back(index);
  }
  peak.reserved_bytes =
      facts.reserved.empty() ? peak.allocated_bytes : reserved_at(facts.reserved, peak.sequence);
  peak.by_kind = kinds.largest_first();
  peak.by_layer = layers.largest_first();
  peak.by_op = ops.largest_first();
  std::stable_sort(peak.largest_blocks.begin(), peak.largest_blocks.end(),
                   [&](std::uint32_t left, std::uint32_t right) {
                     return facts.blocks[left].bytes > facts.blocks[right].bytes;
                   });
  if (peak.largest_blocks.size() > kLargestBlocks) peak.largest_blocks.resize(kLargestBlocks);
  return peak;
}

}  // namespace strata::analysis

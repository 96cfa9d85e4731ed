// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <map>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/peak/evaluations.hpp"
#include "host/analysis/peak/high_points.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/steps/open_phases.hpp"

namespace strata::analysis {
namespace {

// Teeth that are smaller are one place: each layer of a backward makes some.
constexpr std::uint64_t kValleyParts = 100;

std::vector<PeakChange> changes_between(const std::vector<Block>& blocks, std::uint64_t begin_sequence,
                                        std::uint64_t peak_sequence) {
  std::map<std::pair<Category, BlockKind>, PeakChange> by_kind;
  for (const Block& block : blocks) {
    if (block.birth_sequence > peak_sequence || block.death_sequence < begin_sequence) continue;
    const bool was_there = block.birth_sequence < begin_sequence;
    const bool is_there = peak_sequence < block.death_sequence;
    if (was_there == is_there) continue;
    PeakChange& change = by_kind[{block.category, block.kind}];
    change.category = block.category;
    change.kind = block.kind;
    (is_there ? change.born_bytes : change.freed_bytes) += block.bytes;
    ++(is_there ? change.born_blocks : change.freed_blocks);
  }
  std::vector<PeakChange> changes;
  changes.reserve(by_kind.size());
  for (const auto& [unused, change] : by_kind) changes.push_back(change);
  std::ranges::stable_sort(changes, std::greater{}, [](const PeakChange& change) {
    return std::max(change.born_bytes, change.freed_bytes);
  });
  return changes;
}

class PlaceFinder {
 public:
  PlaceFinder(const MemoryFacts& facts, const OpenPhases& phases) : facts_(facts), phases_(phases) {}

  std::optional<HighPlace> place(const std::optional<HighPoint>& high, std::uint64_t begin_sequence) const {
    if (!high) return std::nullopt;
    const Point& point = facts_.points[high->point];
    // The value at the interval's begin counts from its begin, whenever it was reached.
    const std::uint64_t sequence = std::max(point.sequence, begin_sequence);
    HighPlace place;
    place.sequence = sequence;
    place.ns = point.ns;
    place.categories = point.bytes;
    place.allocated_bytes = allocated_bytes(point);
    place.valley_bytes = high->valley_bytes;
    const auto phase = phases_.innermost(sequence);
    place.phase = phase ? facts_.phases[*phase].name : Evaluations(facts_).phase_at(sequence);
    const auto born = std::ranges::lower_bound(facts_.blocks, sequence, {}, &Block::birth_sequence);
    if (born != facts_.blocks.end() && born->birth_sequence == sequence) {
      place.layer = born->layer;
      place.op = born->op;
    }
    return place;
  }

 private:
  const MemoryFacts& facts_;
  const OpenPhases& phases_;
};

}  // namespace

PeakContext peak_context(const MemoryFacts& facts, const Peak& peak) {
  PeakContext context;
  context.interval = interval_of(facts, peak.step);
  const RunInterval& interval = context.interval;
  const auto highest = highest_point(facts.points, interval.begin_sequence, interval.end_sequence);
  if (!highest) return context;
  context.changes = changes_between(facts.blocks, interval.begin_sequence, peak.sequence);

  PointRange range = points_within(facts.points, interval.begin_sequence, interval.end_sequence);
  if (range.first > 0) context.begin_categories = facts.points[--range.first].bytes;
  const OpenPhases phases(facts.phases);
  const PlaceFinder finder(facts, phases);
  const std::uint64_t depth_bytes =
      std::max<std::uint64_t>(1, allocated_bytes(facts.points[*highest]) / kValleyParts);
  context.next_place =
      finder.place(next_highest_place(facts.points, range, *highest, depth_bytes), interval.begin_sequence);
  if (const auto part = phases.part_of_step(peak.sequence)) {
    const PhaseFact& phase = facts.phases[*part];
    context.part_of_step = phase.name;
    const std::uint64_t last = phase.end_sequence == 0 ? 0 : phase.end_sequence - 1;
    const PointRange excluded = points_within(facts.points, phase.begin_sequence, last);
    context.outside_phase =
        finder.place(highest_outside(facts.points, range, *highest, excluded), interval.begin_sequence);
  }
  return context;
}

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/step_growth.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::analysis {
namespace {

// Two may be a variable's last value and its next.
constexpr std::size_t kLeastSteps = 3;

using GroupKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // op, layer, kind of phase

class GrowthFinder {
 public:
  explicit GrowthFinder(const MemoryFacts& facts) : facts_(facts) {
    for (const StepFact& step : facts.steps)
      if (step.complete) ends_.push_back(step.end_sequence);
  }

  std::vector<std::uint32_t> find(const KeptFromEarlier& kept) const {
    if (ends_.size() <= kLeastSteps) return {};
    std::map<GroupKey, std::vector<std::uint32_t>> groups;
    for (std::uint32_t index = 0; index < facts_.blocks.size(); ++index) {
      const Block& block = facts_.blocks[index];
      if (!kept.holds(index) && stays(block)) groups[key_of(block)].push_back(index);
    }
    std::vector<std::uint32_t> found;
    for (const auto& [unused, group] : groups) add_growing(group, found);
    std::ranges::sort(found);
    return found;
  }

 private:
  // From the last birth on a program only tears down.
  std::uint64_t run_end() const { return facts_.blocks.back().birth_sequence; }
  bool stays_to_end(const Block& block) const { return block.death_sequence >= run_end(); }

  std::size_t step_of(const Block& block) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ends_, block.birth_sequence) - ends_.begin());
  }
  // The end of the step after; UINT64_MAX if none was recorded.
  std::uint64_t next_end(std::size_t step) const {
    return step + 1 < ends_.size() ? ends_[step + 1] : UINT64_MAX;
  }
  bool stays(const Block& block) const {
    const std::size_t step = step_of(block);
    if (step == 0 || step >= ends_.size()) return false;
    return stays_to_end(block) || block.death_sequence > next_end(step);
  }

  GroupKey key_of(const Block& block) const {
    return {block.op, block.layer, block.phase == 0 ? 0 : facts_.phases[block.phase - 1].kind};
  }

  // Those alive when the first of them is freed, then the next ones.
  void add_growing(const std::vector<std::uint32_t>& group, std::vector<std::uint32_t>& found) const {
    for (std::size_t begin = 0; begin < group.size();) {
      std::uint64_t first_death = UINT64_MAX;
      std::set<std::size_t> steps;
      std::size_t end = begin;
      for (; end < group.size() && block(group[end]).birth_sequence < first_death; ++end) {
        first_death = std::min(first_death, block(group[end]).death_sequence);
        steps.insert(step_of(block(group[end])));
      }
      if (!go_together(group, begin, end, first_death)) return;
      if (steps.size() >= kLeastSteps)
        found.insert(found.end(), group.begin() + static_cast<std::ptrdiff_t>(begin),
                     group.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
  }

  bool go_together(const std::vector<std::uint32_t>& group, std::size_t begin, std::size_t end,
                   std::uint64_t first_death) const {
    if (first_death >= run_end()) return true;
    const auto step = static_cast<std::size_t>(std::ranges::lower_bound(ends_, first_death) - ends_.begin());
    std::size_t dying = 0;
    for (std::size_t each = begin; each < end; ++each)
      dying += block(group[each]).death_sequence <= next_end(step) ? 1 : 0;
    return dying * 2 > end - begin;
  }

  const Block& block(std::uint32_t index) const { return facts_.blocks[index]; }

  const MemoryFacts& facts_;
  std::vector<std::uint64_t> ends_;  // of the complete steps
};

}  // namespace

StepGrowth::StepGrowth(const MemoryFacts& facts, const KeptFromEarlier& kept)
    : facts_(facts), holds_(facts.blocks.size()) {
  if (facts.blocks.empty()) return;
  blocks_ = GrowthFinder(facts).find(kept);
  for (const std::uint32_t block : blocks_) holds_[block] = true;
}

std::vector<const Block*> StepGrowth::alive_at(std::uint64_t sequence) const {
  std::vector<const Block*> alive;
  for (const std::uint32_t block : blocks_)
    if (facts_.blocks[block].is_alive_at(sequence)) alive.push_back(&facts_.blocks[block]);
  return alive;
}

std::uint64_t steps_of(const MemoryFacts& facts, const std::vector<const Block*>& blocks) {
  std::set<std::ptrdiff_t> steps;
  for (const Block* block : blocks)
    steps.insert(std::ranges::upper_bound(facts.steps, block->birth_sequence, {}, &StepFact::begin_sequence) -
                 facts.steps.begin());
  return steps.size();
}

std::string main_phase(const MemoryFacts& facts, const std::vector<const Block*>& blocks) {
  std::map<std::string, std::uint64_t> bytes;
  for (const Block* block : blocks)
    bytes[block->phase == 0 ? std::string() : facts.phases[block->phase - 1].name] += block->bytes;
  const auto most = std::ranges::max_element(bytes, {}, [](const auto& phase) { return phase.second; });
  return most == bytes.end() ? std::string() : most->first;
}

}  // namespace strata::analysis

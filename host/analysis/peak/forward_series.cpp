// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/forward_series.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "host/analysis/facts/memory_facts.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

constexpr std::uint64_t kNotYet = UINT64_MAX;
// Two may be a variable's last value and its next.
constexpr std::size_t kLeastForwards = 3;

struct PassRange {
  std::uint64_t begin = 0, end = kNotYet;
};

// The run's forwards and backwards, in order; a forward inside a backward is the backward's.
class ForwardPasses {
 public:
  explicit ForwardPasses(const MemoryFacts& facts) : facts_(facts) {
    std::uint64_t covered_until = 0;
    for (const PhaseFact& phase : facts.phases) {
      if (phase.begin_sequence < covered_until) continue;
      const bool is_backward = phase.kind == STRATA_PHASE_BACKWARD;
      if (!is_backward && phase.kind != STRATA_PHASE_FORWARD && phase.kind != STRATA_PHASE_EVALUATION)
        continue;
      (is_backward ? backwards_ : forwards_).push_back({phase.begin_sequence, phase.end_sequence});
      covered_until = phase.end_sequence;
    }
  }

  // From the last birth on a program only tears down: what lives until then was held to the end.
  std::uint64_t end() const { return facts_.blocks.empty() ? 0 : facts_.blocks.back().birth_sequence; }
  std::size_t backwards() const { return backwards_.size(); }
  bool is_in_backward(std::uint64_t sequence) const {
    const auto next = std::ranges::upper_bound(backwards_, sequence, {}, &PassRange::begin);
    return next != backwards_.begin() && sequence <= (next - 1)->end;
  }
  std::uint32_t backwards_before(std::uint64_t sequence) const {
    const auto next = std::ranges::upper_bound(backwards_, sequence, {}, &PassRange::begin);
    return static_cast<std::uint32_t>(next - backwards_.begin());
  }
  // The forward, or its loss, that a block was born in.
  std::optional<std::uint32_t> forward_of(const Block& block) const {
    if (block.phase == 0 || is_in_backward(block.birth_sequence)) return std::nullopt;
    const std::uint32_t kind = facts_.phases[block.phase - 1].kind;
    if (kind != STRATA_PHASE_FORWARD && kind != STRATA_PHASE_LOSS && kind != STRATA_PHASE_EVALUATION)
      return std::nullopt;
    const auto next = std::ranges::upper_bound(forwards_, block.birth_sequence, {}, &PassRange::begin);
    if (next == forwards_.begin()) return std::nullopt;
    return static_cast<std::uint32_t>(next - forwards_.begin() - 1);
  }
  std::uint64_t first_forward_behind(std::uint64_t sequence) const {
    const auto next = std::ranges::upper_bound(forwards_, sequence, {}, &PassRange::begin);
    return next == forwards_.end() ? kNotYet : next->begin;
  }

 private:
  const MemoryFacts& facts_;
  std::vector<PassRange> forwards_, backwards_;
};

class StepEnds {
 public:
  explicit StepEnds(const std::vector<StepFact>& steps) : steps_(steps) {}

  std::int64_t step_of(std::uint64_t sequence) const {
    const std::size_t next = behind(sequence);
    return next == 0 ? -1 : steps_[next - 1].index;
  }
  // Between steps the next one's begin.
  std::uint64_t end_of_step(std::uint64_t sequence) const {
    const std::size_t next = behind(sequence);
    if (next > 0 && sequence <= steps_[next - 1].end_sequence) return steps_[next - 1].end_sequence;
    return next < steps_.size() ? steps_[next].begin_sequence : kNotYet;
  }
  std::uint64_t end_of_next_step(std::uint64_t sequence) const {
    const std::size_t next = behind(sequence);
    return next < steps_.size() ? steps_[next].end_sequence : kNotYet;
  }

 private:
  std::size_t behind(std::uint64_t sequence) const {
    const auto next = std::ranges::upper_bound(steps_, sequence, {}, &StepFact::begin_sequence);
    return static_cast<std::size_t>(next - steps_.begin());
  }
  const std::vector<StepFact>& steps_;
};

// The blocks made by one operator of one module in forwards. A phase may contain several consecutive
// forwards: each makes as many of these blocks as lead to one backward.
class MakerSeries {
 public:
  void add(std::uint32_t block, std::uint32_t phase, std::uint32_t backwards_before) {
    births_.push_back({block, phase, 0});
    ++by_backward_[backwards_before];
    ++by_phase_[phase];
  }

  // Without backwards there are as many forwards as phases.
  void separate_forwards(std::size_t backwards) {
    by_backward_.erase(static_cast<std::uint32_t>(backwards));
    usual_births_ = by_backward_.empty() ? low_of(by_phase_) : low_of(by_backward_);
    std::size_t in_phase = 0;
    for (std::size_t index = 0; index < births_.size(); ++index) {
      in_phase = index > 0 && births_[index - 1].phase == births_[index].phase ? in_phase + 1 : 0;
      births_[index].forward_of_phase = static_cast<std::uint32_t>(in_phase / usual_births_);
    }
  }

  struct Birth {
    std::uint32_t block = 0, phase = 0, forward_of_phase = 0;
    auto forward() const { return std::pair(phase, forward_of_phase); }
  };
  const std::vector<Birth>& births() const { return births_; }
  std::size_t usual_births() const { return usual_births_; }

  // The block that the second next forward begins with, here.
  std::optional<std::uint32_t> second_next(std::size_t birth) const {
    auto forward = births_[birth].forward();
    int more = 2;
    for (std::size_t index = birth + 1; index < births_.size(); ++index) {
      if (births_[index].forward() == forward) continue;
      if (--more == 0) return births_[index].block;
      forward = births_[index].forward();
    }
    return std::nullopt;
  }

 private:
  // An evaluation in between makes more: that of the lowest quarter.
  static std::size_t low_of(const std::map<std::uint32_t, std::size_t>& births) {
    std::vector<std::size_t> counts;
    counts.reserve(births.size());
    for (const auto& [unused, count] : births) counts.push_back(count);
    std::ranges::sort(counts);
    return counts.empty() ? 1 : counts[(counts.size() - 1) / 4];
  }

  std::vector<Birth> births_;
  std::map<std::uint32_t, std::size_t> by_backward_, by_phase_;
  std::size_t usual_births_ = 1;
};

class GrowingFinder {
 public:
  explicit GrowingFinder(const MemoryFacts& facts) : facts_(facts), passes_(facts), steps_(facts.steps) {}

  std::vector<KeptBlock> find() {
    std::map<std::pair<std::uint32_t, std::uint32_t>, MakerSeries> by_maker;
    for (std::uint32_t index = 0; index < facts_.blocks.size(); ++index) {
      const Block& block = facts_.blocks[index];
      if (const auto phase = passes_.forward_of(block))
        by_maker[{block.op, block.layer}].add(index, *phase, passes_.backwards_before(block.birth_sequence));
    }
    std::vector<KeptBlock> found;
    for (auto& [unused, series] : by_maker) {
      series.separate_forwards(passes_.backwards());
      add_growing(series, found);
    }
    std::ranges::sort(found, {}, &KeptBlock::block);
    add_inputs(found);
    return found;
  }

 private:
  const Block& block_of(const KeptBlock& each) const { return facts_.blocks[each.block]; }

  // The memory of a graph includes its forward's input, which is born earlier, often after the optimizer of
  // the previous step.
  void add_inputs(std::vector<KeptBlock>& found) const {
    std::map<std::uint32_t, std::size_t> blocks_of_forward;
    for (const KeptBlock& each : found) ++blocks_of_forward[each.forward];
    std::vector<KeptBlock> inputs;
    for (std::uint32_t index = 0; index < facts_.blocks.size(); ++index) {
      const Block& block = facts_.blocks[index];
      if (block.category != Category::kInput || !is_held(block)) continue;
      const auto next = std::ranges::upper_bound(found, index, {}, &KeptBlock::block);
      if (next == found.end() || next->step > steps_.step_of(block.birth_sequence) + 1) continue;
      if (blocks_of_forward[next->forward] == 1) continue;  // only a result
      KeptBlock input = *next;
      input.block = index;
      inputs.push_back(input);
    }
    found.insert(found.end(), inputs.begin(), inputs.end());
    std::ranges::sort(found, {}, &KeptBlock::block);
  }

  bool stays(const Block& block) const {
    // The last forward has no end except the program's, so a result freed at exit seems to be freed inside
    // it.
    const bool is_result = block.category == Category::kTemporary && block.kind == BlockKind::kOpTemp;
    if (block.category != Category::kActivation && !is_result) return false;
    return is_held(block);
  }

  bool is_held(const Block& block) const {
    if (block.death_sequence >= passes_.end()) return true;
    return block.death_sequence > steps_.end_of_next_step(block.birth_sequence) &&
           !passes_.is_in_backward(block.death_sequence);
  }

  KeptBlock kept(const MakerSeries& series, std::size_t birth) {
    const MakerSeries::Birth& made = series.births()[birth];
    const std::uint64_t sequence = facts_.blocks[made.block].birth_sequence;
    const auto number = static_cast<std::uint32_t>(forwards_.size());
    KeptBlock kept{.block = made.block,
                   .forward = forwards_.try_emplace(made.forward(), number).first->second,
                   .step = steps_.step_of(sequence)};
    const std::uint64_t step_end = steps_.end_of_step(sequence);
    if (step_end != kNotYet) kept.earlier_from = passes_.first_forward_behind(step_end);
    if (const auto next = series.second_next(birth))
      kept.earlier_from = std::min(kept.earlier_from, facts_.blocks[*next].birth_sequence);
    return kept;
  }

  // Those alive when the first of them is freed, then the next ones.
  void add_growing(const MakerSeries& series, std::vector<KeptBlock>& found) {
    std::vector<KeptBlock> all, growing;
    for (std::size_t birth = 0; birth < series.births().size(); ++birth)
      if (stays(facts_.blocks[series.births()[birth].block])) all.push_back(kept(series, birth));
    for (std::span<const KeptBlock> left(all); !left.empty();) {
      std::uint64_t first_death = kNotYet;
      std::size_t alive = 0;
      for (; alive < left.size() && block_of(left[alive]).birth_sequence < first_death; ++alive)
        first_death = std::min(first_death, block_of(left[alive]).death_sequence);
      const auto generation = left.first(alive);
      if (!go_together(generation, first_death)) return;
      if (grows(series, generation, first_death))
        growing.insert(growing.end(), generation.begin(), generation.end());
      left = left.subspan(alive);
    }
    found.insert(found.end(), growing.begin(), growing.end());
  }

  bool go_together(std::span<const KeptBlock> generation, std::uint64_t first_death) const {
    if (first_death >= passes_.end()) return true;
    const std::uint64_t gone = steps_.end_of_next_step(first_death);
    const auto dying = std::ranges::count_if(
        generation, [&](const KeptBlock& each) { return block_of(each).death_sequence <= gone; });
    return static_cast<std::size_t>(dying) * 2 > generation.size();
  }

  bool grows(const MakerSeries& series, std::span<const KeptBlock> generation,
             std::uint64_t first_death) const {
    std::set<std::uint32_t> forwards;
    std::set<std::int64_t> steps;
    for (const KeptBlock& each : generation) {
      forwards.insert(each.forward);
      steps.insert(each.step);
    }
    if (forwards.size() < kLeastForwards) return false;
    if (steps.size() >= kLeastForwards) return true;
    // In one or two steps: an evaluation, unless each backward has the same number before it, or they are
    // used by later steps and then freed, as in a rollout.
    if (first_death < passes_.end()) return false;
    if (passes_.backwards() == 0 && facts_.end != RunEnd::kDone) return false;
    return generation.size() > 2 * series.usual_births();
  }

  const MemoryFacts& facts_;
  const ForwardPasses passes_;
  const StepEnds steps_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> forwards_;  // their numbers
};

}  // namespace

std::vector<KeptBlock> growing_blocks(const MemoryFacts& facts) {
  return GrowingFinder(facts).find();
}

}  // namespace strata::analysis

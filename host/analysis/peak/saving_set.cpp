// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/saving_set.hpp"

#include <algorithm>
#include <cstddef>

#include "host/analysis/peak/whole_model.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/analysis/timeline.hpp"

namespace strata::analysis {
namespace {

enum Memory : std::uint32_t {
  kOfBlocks = 1,
  kOfLoss = 2,
  kOfOptimizer = 4,
  kOfGradients = 8,
  kOfFrozen = 16,
  kOfEarlier = 32,
  kOfEvaluation = 64,
  kOfOutputs = 128,
  kOfUnused = 256,
};

std::uint32_t memory_of(Saving saving) {
  switch (saving) {
    case Saving::kCheckpoints:
      return kOfBlocks;
    case Saving::kAttentionInOneKernel:
      return kOfBlocks | kOfUnused;
    case Saving::kLossInPieces:
    case Saving::kResidueLetGo:
      return kOfLoss;
    case Saving::kHalfPrecision:
      return kOfBlocks | kOfLoss | kOfUnused;
    case Saving::kHalfBatch:
      return 0;
    case Saving::kFusedOptimizer:
    case Saving::kLoopOptimizer:
    case Saving::kEightBitMoments:
      return kOfOptimizer;
    case Saving::kGradientsCleared:
      return kOfGradients;
    case Saving::kFrozenIn16Bits:
      return kOfFrozen;
    case Saving::kKeptLetGo:
      return kOfEarlier;
    case Saving::kHalfEvaluation:
      return kOfEvaluation | kOfUnused;
    case Saving::kConcatenatedLetGo:
    case Saving::kListedLetGo:
      return kOfOutputs;
    case Saving::kNoGraph:
      return kOfUnused | kOfGradients;
  }
  return 0;
}

bool has(const SavingSet& set, Saving saving) {
  return std::ranges::find(set, saving) != set.end();
}

bool is_of_forwards(Saving saving) {
  return saving == Saving::kNoGraph || (memory_of(saving) & (kOfBlocks | kOfLoss)) != 0;
}

std::vector<std::uint32_t> by_death(const std::vector<Block>& blocks) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t index = 0; index < blocks.size(); ++index)
    if (blocks[index].death_sequence != UINT64_MAX) order.push_back(index);
  std::ranges::sort(order, {}, [&](std::uint32_t index) { return blocks[index].death_sequence; });
  return order;
}

}  // namespace

std::vector<SavingSet> each_alone() {
  std::vector<SavingSet> sets;
  for (std::size_t index = 0; index < kSavings; ++index) sets.push_back({static_cast<Saving>(index)});
  return sets;
}

bool spares_blocks_to_come(Saving saving) {
  return saving == Saving::kHalfBatch || (memory_of(saving) & kOfBlocks) != 0;
}

bool are_of_different_memory(const SavingSet& set) {
  // Of half a batch autocast's copies of weights are as large.
  if (has(set, Saving::kHalfBatch) && has(set, Saving::kHalfPrecision)) return false;
  std::uint32_t seen = 0;
  for (const Saving saving : set) {
    const std::uint32_t memory = memory_of(saving);
    if ((seen & memory) != 0) return false;
    seen |= memory;
  }
  return true;
}

std::uint64_t bytes_together(const SavingSet& set, const Savings& savings, const SavedBytes& saved) {
  std::uint64_t sum = 0, of_forwards = 0;
  for (const Saving saving : set) {
    const bool is_of_rest = saving == Saving::kHalfBatch && set.size() > 1;
    const std::uint64_t bytes = is_of_rest ? 0 : saved.at(static_cast<std::size_t>(saving));
    sum += bytes;
    if (is_of_forwards(saving)) of_forwards += bytes;
  }
  const bool has_rest = set.size() > 1 && has(set, Saving::kHalfBatch);
  return has_rest ? sum + savings.half_batch(of_forwards) : sum;
}

std::vector<Left> highest_left(const Facts& facts, Savings savings, const std::vector<SavingSet>& sets) {
  std::vector<Left> highest(sets.size());
  if (sets.empty()) return highest;
  const OpenPhases phases(facts.phases);
  const std::vector<std::uint32_t> deaths = by_death(facts.blocks);
  const std::uint64_t told_from = layers_are_told_from(facts);
  auto born = facts.blocks.begin();
  auto dead = deaths.begin();
  for (const Point& point : facts.points) {
    for (; born != facts.blocks.end() && born->birth_sequence <= point.sequence; ++born) savings.add(*born);
    for (; dead != deaths.end() && facts.blocks[*dead].death_sequence <= point.sequence; ++dead)
      savings.remove(facts.blocks[*dead]);
    const std::uint64_t level = allocated_bytes(point);
    if (level <= std::ranges::min_element(highest, {}, &Left::bytes)->bytes) continue;
    savings.look_at(point.sequence);
    const auto index = phases.part_of_step(point.sequence);
    const PhaseFact* const part = index ? &facts.phases[*index] : nullptr;
    SavedBytes saved{};
    for (std::size_t each = 0; each < kSavings; ++each)
      saved.at(each) = savings.bytes(static_cast<Saving>(each), part);
    for (std::size_t each = 0; each < sets.size(); ++each) {
      const bool is_untold = point.sequence < told_from && has(sets[each], Saving::kCheckpoints);
      if (level <= highest[each].bytes || is_untold) continue;
      const std::uint64_t left = level - std::min(bytes_together(sets[each], savings, saved), level);
      if (left > highest[each].bytes) highest[each] = {left, point.sequence};
    }
  }
  return highest;
}

}  // namespace strata::analysis

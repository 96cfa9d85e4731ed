// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/rank_facts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/peak/most_reserved.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

static_assert(kOtherPhase == STRATA_PHASE_OTHER && kSyncPhase == STRATA_PHASE_GRADIENT_SYNC);

// Buckets and communication buffers say nothing about the rank's own work.
bool is_own_work(const Block& block) {
  return block.kind != BlockKind::kComm && block.kind != BlockKind::kBucket;
}

// The last own allocation between the two moments; the begin if there is none.
std::int64_t last_own_birth(const Facts& facts, const PhaseFact& phase) {
  auto after = std::ranges::upper_bound(facts.blocks, phase.end_sequence, {}, &Block::birth_sequence);
  for (; after != facts.blocks.begin(); --after) {
    const Block& block = *std::prev(after);
    if (block.birth_sequence < phase.begin_sequence) break;
    if (is_own_work(block)) return std::clamp(block.birth_ns, phase.begin_ns, phase.end_ns);
  }
  return phase.end_ns;
}

std::int64_t last_end_of(const std::vector<RankPhase>& phases) {
  return std::ranges::max(phases, {}, &RankPhase::end_ns).end_ns;
}

class Condenser {
 public:
  explicit Condenser(const Facts& facts) : facts_(facts) {}

  RankFacts condense() {
    rank_.rank = facts_.rank;
    rank_.world_size = facts_.world_size;
    rank_.pid = facts_.pid;
    rank_.name = facts_.name;
    rank_.device = facts_.device;
    rank_.end = facts_.end;
    rank_.is_dry = facts_.dry.has_value();
    rank_.clock = facts_.clock;
    rank_.begin_ns = facts_.begin_ns;
    rank_.end_ns = facts_.end_ns;
    rank_.peak_step = facts_.peak.step;
    rank_.peak_allocated_bytes = facts_.peak.allocated_bytes;
    rank_.peak_reserved_bytes = most_reserved_in_window(facts_).bytes;
    rank_.peak_categories = facts_.peak.categories;
    rank_.most_unknown_bytes = facts_.statistics[static_cast<std::size_t>(Category::kUnknown)].max;
    std::ranges::copy_if(facts_.other_memory, std::back_inserter(rank_.other_cards),
                         [](const OtherMemory& other) { return other.device.starts_with("cuda:"); });
    rank_.warnings = facts_.warnings.size();
    rank_.median_step_ns = facts_.pace.median_step_ns;
    add_steps();
    add_shares();
    add_averaging();
    return std::move(rank_);
  }

 private:
  void add_steps() {
    auto phase = facts_.phases.begin();
    for (const StepFact& step : facts_.steps) {
      if (!step.complete) continue;
      RankStep& added = rank_.steps.emplace_back();
      added.index = step.index;
      added.begin_ns = step.begin_ns;
      added.end_ns = step.end_ns;
      while (phase != facts_.phases.end() && phase->begin_sequence < step.begin_sequence) ++phase;
      const PhaseFact* backward = nullptr;
      const PhaseFact* next = nullptr;  // behind it
      for (; phase != facts_.phases.end() && phase->begin_sequence < step.end_sequence; ++phase) {
        if (phase->depth > 0 || phase->end_ns > step.end_ns) continue;
        added.phases.push_back({.name = name_of(phase->name),
                                .kind = phase->kind,
                                .begin_ns = phase->begin_ns,
                                .end_ns = phase->end_ns,
                                .waited_ns = 0});
        if (phase->kind == STRATA_PHASE_BACKWARD) {
          backward = &*phase;
          next = nullptr;
        } else if (backward != nullptr && next == nullptr) {
          next = &*phase;
        }
      }
      if (backward != nullptr)
        added.backward_end = {.last_gradient_ns = last_own_birth(facts_, *backward),
                              .goes_on_ns = next != nullptr ? next->begin_ns : backward->end_ns};
      // If steps are inferred, the last one lasts until the end of the program.
      if (&step == &facts_.steps.back() && !added.phases.empty()) added.end_ns = last_end_of(added.phases);
    }
  }

  std::uint32_t name_of(const std::string& name) {
    const auto [found, is_new] =
        name_index_.try_emplace(name, static_cast<std::uint32_t>(rank_.names.size()));
    if (is_new) rank_.names.push_back(name);
    return found->second;
  }

  void add_shares() {
    std::map<std::tuple<Category, BlockKind, std::uint32_t>, std::uint64_t> bytes;
    for (const Block& block : facts_.blocks) {
      if (block.birth_sequence > facts_.peak.sequence) break;
      if (block.death_sequence <= facts_.peak.sequence) continue;
      bytes[{block.category, block.kind, block.layer}] += block.bytes;
    }
    for (const auto& [key, size] : bytes) {
      const auto& [category, kind, layer] = key;
      rank_.shares.push_back({category, std::string(to_string(kind)), facts_.texts[layer], size});
    }
    std::ranges::stable_sort(rank_.shares, std::ranges::greater{}, &RankShare::bytes);
  }

  void add_averaging() {
    std::set<std::uint64_t> buckets;
    std::set<std::string_view> operators;
    for (const Block& block : facts_.blocks) {
      if (block.kind == BlockKind::kBucket) buckets.insert(block.bytes);
      if (block.phase > 0 && facts_.phases[block.phase - 1].kind == STRATA_PHASE_BACKWARD &&
          is_own_work(block))
        operators.insert(facts_.texts[block.op]);
    }
    rank_.bucket_bytes.assign(buckets.begin(), buckets.end());
    rank_.backward_operators.assign(operators.begin(), operators.end());
  }

  const Facts& facts_;
  RankFacts rank_;
  std::map<std::string, std::uint32_t, std::less<>> name_index_;
};

}  // namespace

RankFacts rank_facts(const Facts& facts) {
  return Condenser(facts).condense();
}

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/findings.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/memory/alive.hpp"
#include "host/analysis/peak/evaluations.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/peak/listed_outputs.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/peak/step_growth.hpp"
#include "host/analysis/peak/summed_losses.hpp"
#include "host/analysis/peak/unsharded_gradients.hpp"
#include "host/analysis/peak/unused_graphs.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

// Findings below this fraction of the missing memory are not worth reporting.
constexpr std::uint64_t kWorthSaying = 100;

// Gradients that an optimizer has used stay in memory until the next backward if they are zeroed in place, or
// freed only after forward. Returns their bytes at `sequence`, in a forward or backward: gradients from
// before the last optimizer, minus those to which a backward has added since. 0 elsewhere.
std::uint64_t used_gradient_bytes(const MemoryFacts& facts, std::uint64_t sequence) {
  const auto part = OpenPhases(facts.phases).part_of_step(sequence);
  if (!part) return 0;
  const std::uint32_t kind = facts.phases[*part].kind;
  if (kind != STRATA_PHASE_FORWARD && kind != STRATA_PHASE_LOSS && kind != STRATA_PHASE_BACKWARD) return 0;
  std::uint64_t used_until = 0;  // the end of the last optimizer
  for (const PhaseFact& phase : facts.phases)
    if (phase.kind == STRATA_PHASE_OPTIMIZER && phase.end_sequence <= sequence)
      used_until = std::max(used_until, phase.end_sequence);
  std::uint64_t used = 0, written = 0;
  for (const Block& block : facts.blocks) {
    if (block.kind == BlockKind::kGradient && block.birth_sequence < used_until &&
        block.is_alive_at(sequence))
      used += block.bytes;
    // A gradient that is added to an earlier one.
    if (block.kind == BlockKind::kAccumulateTemp && block.birth_sequence > used_until &&
        block.death_sequence <= sequence)
      written += block.bytes;
  }
  return used - std::min(used, written);
}

// Of a program, which may hold what it need not; a training of ours does not.
class HeldFinder {
 public:
  HeldFinder(const MemoryFacts& facts, const Peak& moment)
      : facts_(facts),
        sequence_(moment.sequence),
        kept_(facts),
        unused_(facts, kept_),
        growth_(facts, kept_) {}

  std::vector<Finding> find() {
    failed_forwards();
    kept_from_earlier();
    step_growth();
    unused_graphs();
    gradients();
    weight_copies();
    summed_losses();
    by_block();
    return std::move(found_);
  }

 private:
  using Blocks = std::vector<const Block*>;

  void add(Finding finding) {
    if (finding.bytes > 0) found_.push_back(std::move(finding));
  }

  // What the exception of a failed allocation holds.
  const FailedForward* failed_forward_of(const Block& block) const {
    const bool is_kept = block.category == Category::kParameter ||
                         block.category == Category::kOptimizerState ||
                         block.category == Category::kGradient || block.kind == BlockKind::kWorkspace;
    if (is_kept || !block.is_alive_at(sequence_)) return nullptr;
    for (const FailedForward& forward : facts_.failed_forwards)
      if (forward.end_sequence < sequence_ && forward.made(block)) return &forward;
    return nullptr;
  }

  void failed_forwards() {
    if (facts_.failed_forwards.empty()) return;
    std::set<const FailedForward*> forwards;
    Blocks blocks;
    for (const Block& block : facts_.blocks) {
      const FailedForward* const forward = failed_forward_of(block);
      if (forward == nullptr) continue;
      forwards.insert(forward);
      blocks.push_back(&block);
    }
    add({.kind = FindingKind::kFailedForward,
         .bytes = bytes_of(blocks),
         .detail = FailedFinding{.forwards = forwards.size(), .blocks = blocks.size()}});
  }

  void kept_from_earlier() {
    std::vector<KeptBlock> earlier = kept_.earlier_at(sequence_);
    std::erase_if(earlier, [&](const KeptBlock& each) {
      return failed_forward_of(facts_.blocks[each.block]) != nullptr;
    });
    std::set<std::uint32_t> forwards;
    Blocks blocks;
    for (const KeptBlock& each : earlier) {
      forwards.insert(each.forward);
      blocks.push_back(&facts_.blocks[each.block]);
    }
    add({.kind = FindingKind::kKeptFromEarlier,
         .bytes = bytes_of(blocks),
         .detail = KeptFinding{.forwards = forwards.size(),
                               .are_graphs = are_of_graphs(facts_, earlier),
                               .maker = main_maker(facts_, blocks)}});
  }

  void step_growth() {
    Blocks blocks = growth_.alive_at(sequence_);
    std::erase_if(blocks, [&](const Block* block) {
      return unused_.holds(index_of(*block)) || failed_forward_of(*block) != nullptr;
    });
    add({.kind = FindingKind::kStepGrowth,
         .bytes = bytes_of(blocks),
         .detail = StepGrowthFinding{.steps = steps_of(facts_, blocks),
                                     .blocks = blocks.size(),
                                     .phase = main_phase(facts_, blocks),
                                     .maker = main_maker(facts_, blocks)}});
  }

  std::size_t index_of(const Block& block) const {
    return static_cast<std::size_t>(&block - facts_.blocks.data());
  }

  void gradients() {
    add({.kind = FindingKind::kUsedGradients, .bytes = used_gradient_bytes(facts_, sequence_)});
    // One that backward frees again is on its way into its bucket.
    const PhaseFact* const backward = open_phase(facts_.phases, STRATA_PHASE_BACKWARD, sequence_);
    const std::uint64_t kept_until = backward == nullptr ? sequence_ : backward->end_sequence;
    std::uint64_t gradients = 0, buckets = 0;
    for (const Block& block : facts_.blocks) {
      if (!block.is_alive_at(sequence_)) continue;
      if (block.kind == BlockKind::kGradient && block.death_sequence > kept_until) gradients += block.bytes;
      if (block.kind == BlockKind::kBucket) buckets += block.bytes;
    }
    add({.kind = FindingKind::kBucketCopies, .bytes = std::min(gradients, buckets)});
    add({.kind = FindingKind::kUnshardedGradients, .bytes = unsharded_gradient_bytes(facts_, sequence_)});
    add({.kind = FindingKind::kGatheredParameters, .bytes = kept_gathered_bytes(facts_, sequence_)});
  }

  // On a card, for a program could keep them in the host's memory. Zeros are no copy: they wait for an
  // optimizer.
  void weight_copies() {
    if (facts_.on_host()) return;
    std::uint64_t bytes = 0;
    for (std::size_t index = 0; index < facts_.blocks.size(); ++index) {
      const Block& block = facts_.blocks[index];
      if (block.reason != Reason::kWeightCopy || !block.is_alive_at(sequence_)) continue;
      const bool is_told = growth_.holds(index) || kept_.holds(index) || unused_.holds(index);
      if (!is_told && (traits_of(facts_.texts[block.op]) & kZerosLike) == 0) bytes += block.bytes;
    }
    add({.kind = FindingKind::kWeightCopies, .bytes = bytes});
  }

  void summed_losses() {
    SummedLosses sum = summed_losses_at(facts_, sequence_);
    std::erase_if(sum.beyond, [&](const Block* block) {
      const std::size_t index = index_of(*block);
      return kept_.holds(index) || unused_.holds(index) || growth_.holds(index);
    });
    add({.kind = FindingKind::kSummedLosses,
         .bytes = bytes_of(sum.beyond),
         .detail = SummedFinding{.forwards = sum.forwards}});
  }

  void unused_graphs() {
    std::map<std::tuple<FindingKind, bool, std::string_view>, std::uint64_t> bytes;
    for (const UnusedGraph& graph : unused_.graphs()) {
      if (failed_forward_of(facts_.blocks[graph.blocks.front()]) != nullptr) continue;
      const auto kind = graph.are_gradients ? FindingKind::kUntakenGradients : FindingKind::kUnusedGraph;
      bytes[{kind, graph.why == WhyUnused::kNoStep, graph.named_module()}] +=
          unused_.bytes_of_at(graph, sequence_);
    }
    for (const auto& [graphs, bytes_of_them] : bytes) {
      const auto& [kind, has_no_step, module] = graphs;
      add({kind, bytes_of_them, std::string(module), UnusedGraphFinding{has_no_step}});
    }
  }

  void by_block() {
    const Evaluations evaluations(facts_);
    const ListedOutputs listed(facts_, evaluations);
    const Residue residue(facts_);
    const OpenPhases phases(facts_.phases);
    const auto part = phases.part_of_step(sequence_);
    const PhaseFact* const part_of_step = part ? &facts_.phases[*part] : nullptr;
    Blocks of_lists, held, evaluated;
    for (std::size_t index = 0; index < facts_.blocks.size(); ++index) {
      const Block& block = facts_.blocks[index];
      if (!block.is_alive_at(sequence_) || kept_.holds(index) || unused_.holds(index) ||
          growth_.holds(index) || failed_forward_of(block) != nullptr)
        continue;
      if (listed.holds(index))
        of_lists.push_back(&block);
      else if (residue.may_go(block, sequence_, part_of_step) != MayGo::kNotYet)
        held.push_back(&block);
      else if (evaluations.made(block))
        evaluated.push_back(&block);
    }
    add_outputs(FindingKind::kListedOutputs, of_lists);
    if (!held.empty()) {
      const Block& largest = *std::ranges::max(held, {}, [](const Block* block) { return block->bytes; });
      add({.kind = FindingKind::kHeldByProgram,
           .bytes = bytes_of(held),
           .module = facts_.texts[largest.layer],
           .detail = HeldFinding{.may_go = residue.may_go(largest, sequence_, part_of_step),
                                 .maker = main_maker(facts_, held)}});
    }
    add_outputs(FindingKind::kEvaluation, evaluated);
  }

  void add_outputs(FindingKind kind, const Blocks& blocks) {
    add({.kind = kind,
         .bytes = bytes_of(blocks),
         .detail = OutputsFinding{.blocks = blocks.size(), .maker = main_maker(facts_, blocks)}});
  }

  const MemoryFacts& facts_;
  const std::uint64_t sequence_;
  const KeptFromEarlier kept_;
  const UnusedGraphs unused_;
  const StepGrowth growth_;
  std::vector<Finding> found_;
};

std::uint64_t deferred_at(const MemoryFacts& facts, std::uint64_t sequence) {
  const DeferredPoint* const deferred = last_at(facts.samples.deferred, sequence);
  return deferred == nullptr ? 0 : deferred->bytes;
}

std::vector<Finding> findings_of_moment(const MemoryFacts& facts, const Peak& moment) {
  std::vector<Finding> found;
  if (!facts.is_configured) found = HeldFinder(facts, moment).find();
  if (const std::uint64_t deferred = deferred_at(facts, moment.sequence); deferred > 0)
    found.push_back({.kind = FindingKind::kDeferredFrees, .bytes = deferred});
  return found;
}

// Free, but in pieces that are each too small.
std::optional<Finding> fragmentation_at(const MemoryFacts& facts, const OutOfMemory& failure) {
  if (grows_segments(facts.allocator_settings) || !has_segments(facts.reserved)) return std::nullopt;
  const std::uint64_t used = failure.held.allocated_bytes + deferred_at(facts, failure.held.sequence);
  if (failure.largest_gap_bytes >= failure.requested_bytes || failure.held.reserved_bytes <= used)
    return std::nullopt;
  return Finding{.kind = FindingKind::kFragmentation,
                 .bytes = failure.held.reserved_bytes - used,
                 .detail = PiecesFinding{failure.largest_gap_bytes, failure.requested_bytes}};
}

void keep_worth_saying(std::vector<Finding>& found, std::uint64_t missing_bytes) {
  std::erase_if(found, [&](const Finding& finding) { return finding.bytes < missing_bytes / kWorthSaying; });
  std::ranges::stable_sort(found, std::greater{}, &Finding::bytes);
}

Finding bound(FindingKind kind, const Peak& peak, const HighPlace& place, std::string part_of_step = {}) {
  return {.kind = kind,
          .bytes = peak.allocated_bytes - place.allocated_bytes,
          .detail = BoundFinding{place.allocated_bytes, place.phase, std::move(part_of_step)}};
}

// The recording has the whole step: no change to one moment lowers the others.
std::vector<Finding> bounds_of(const MemoryFacts& facts, const Peak& peak) {
  const PeakContext context = peak_context(facts, peak);
  const auto& next = context.next_place;
  const auto& outside = context.outside_phase;
  std::vector<Finding> found;
  if (next) found.push_back(bound(FindingKind::kNextPeak, peak, *next));
  if (outside && (!next || outside->allocated_bytes != next->allocated_bytes))
    found.push_back(bound(FindingKind::kOutsidePhase, peak, *outside, context.part_of_step));
  return found;
}

}  // namespace

std::vector<Finding> findings_of(const MemoryFacts& facts, const OutOfMemory& failure) {
  std::vector<Finding> found = findings_of_moment(facts, failure.held);
  if (auto fragmentation = fragmentation_at(facts, failure)) found.push_back(std::move(*fragmentation));
  keep_worth_saying(found, failure.requested_bytes);
  return found;
}

std::vector<Finding> findings_at(const MemoryFacts& facts, const Peak& peak, std::uint64_t missing_bytes) {
  std::vector<Finding> found = findings_of_moment(facts, peak);
  keep_worth_saying(found, missing_bytes);
  std::ranges::move(bounds_of(facts, peak), std::back_inserter(found));
  return found;
}

}  // namespace strata::analysis

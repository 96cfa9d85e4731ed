// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/memory/alive.hpp"
#include "host/analysis/memory/said.hpp"
#include "host/analysis/peak/evaluations.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/peak/listed_outputs.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/peak/residue.hpp"
#include "host/analysis/peak/unused_graphs.hpp"
#include "host/analysis/steps/open_phases.hpp"

namespace strata::analysis {
namespace {

// Findings below this fraction of the missing memory are not worth reporting.
constexpr std::uint64_t kWorthSaying = 100;

std::string text_of_graph(const UnusedGraph& graph) {
  const std::string of_forwards =
      graph.is_named() ? fmt::format("forwards of {}", graph.module) : "forwards without a backward";
  if (graph.are_gradients) return fmt::format("No optimizer takes these gradients of {}.", graph.module);
  return graph.why == WhyUnused::kNoStep
             ? fmt::format("Autograd graphs of {}, for gradients that no optimizer takes.", of_forwards)
             : fmt::format("Autograd graphs of {}, which no backward uses.", of_forwards);
}

// For user programs, which may hold memory unnecessarily; Strata's own training does not.
class HeldFinder {
 public:
  HeldFinder(const MemoryFacts& facts, const Peak& moment)
      : facts_(facts), sequence_(moment.sequence), kept_(facts), unused_(facts, kept_) {}

  std::vector<Finding> find() {
    kept_from_earlier();
    unused_graphs();
    by_block();
    return std::move(found_);
  }

 private:
  using Blocks = std::vector<const Block*>;

  void add(FindingKind kind, std::uint64_t bytes, std::string text, std::string_view module = {}) {
    if (bytes > 0) found_.push_back({kind, bytes, std::move(text), std::string(module)});
  }

  void kept_from_earlier() {
    const std::vector<KeptBlock> earlier = kept_.earlier_at(sequence_);
    std::set<std::uint32_t> forwards;
    Blocks blocks;
    for (const KeptBlock& each : earlier) {
      forwards.insert(each.forward);
      blocks.push_back(&facts_.blocks[each.block]);
    }
    add(FindingKind::kKeptFromEarlier, bytes_of(blocks),
        fmt::format("Held since {}{}; most of it was made by {}.",
                    said_count(forwards.size(), "earlier forward", "earlier forwards"),
                    are_of_graphs(facts_, earlier) ? ", with their autograd graphs" : "",
                    main_maker(facts_, blocks)));
  }

  void unused_graphs() {
    std::map<std::string, Finding> by_text;
    for (const UnusedGraph& graph : unused_.graphs()) {
      const std::string text = text_of_graph(graph);
      Finding& finding = by_text[text];
      finding.kind = graph.are_gradients ? FindingKind::kUntakenGradients : FindingKind::kUnusedGraph;
      finding.bytes += unused_.bytes_of_at(graph, sequence_);
      finding.module = graph.is_named() ? graph.module : std::string_view();
    }
    for (const auto& [text, finding] : by_text) add(finding.kind, finding.bytes, text, finding.module);
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
      if (!block.is_alive_at(sequence_) || kept_.holds(index) || unused_.holds(index)) continue;
      if (listed.holds(index))
        of_lists.push_back(&block);
      else if (residue.may_go(block, sequence_, part_of_step) != MayGo::kNotYet)
        held.push_back(&block);
      else if (evaluations.made(block))
        evaluated.push_back(&block);
    }
    add(FindingKind::kListedOutputs, bytes_of(of_lists),
        fmt::format("{} of forwards without a graph, all held at once; most of it was made by {}.",
                    said_count(of_lists.size(), "Output", "outputs"), main_maker(facts_, of_lists)));
    if (!held.empty()) {
      const Block& largest = *std::ranges::max(held, {}, [](const Block* block) { return block->bytes; });
      add(FindingKind::kHeldByProgram, bytes_of(held),
          text_of_held(held, residue.may_go(largest, sequence_, part_of_step)), facts_.texts[largest.layer]);
    }
    add(FindingKind::kEvaluation, bytes_of(evaluated),
        fmt::format("Made by forwards without a graph, as in an evaluation; most of it by {}.",
                    main_maker(facts_, evaluated)));
  }

  std::string text_of_held(const Blocks& held, MayGo when) const {
    const std::string maker = main_maker(facts_, held);
    switch (when) {
      case MayGo::kBeforeNextStep:
        return fmt::format("Made by {} in an earlier step, and still held by the program.", maker);
      case MayGo::kBeforeBackward:
        return fmt::format("Made by {} and held by the program, while backward reads only their softmax.",
                           maker);
      default:
        return fmt::format("Made by {} and held by the program, though its backward has ended.", maker);
    }
  }

  const MemoryFacts& facts_;
  const std::uint64_t sequence_;
  const KeptFromEarlier kept_;
  const UnusedGraphs unused_;
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
    found.push_back({FindingKind::kDeferredFrees, deferred,
                     "Freed, but not free yet: a stream still uses it (record_stream).", ""});
  return found;
}

// Free, but in pieces that are each too small.
std::optional<Finding> fragmentation_at(const MemoryFacts& facts, const OutOfMemory& failure) {
  if (grows_segments(facts.allocator_settings) || !has_segments(facts.reserved)) return std::nullopt;
  const std::uint64_t used = failure.held.allocated_bytes + deferred_at(facts, failure.held.sequence);
  if (failure.largest_gap_bytes >= failure.requested_bytes || failure.held.reserved_bytes <= used)
    return std::nullopt;
  return Finding{FindingKind::kFragmentation, failure.held.reserved_bytes - used,
                 fmt::format("Reserved and free, but in pieces of at most {} where {} were asked for.",
                             said_bytes(failure.largest_gap_bytes), said_bytes(failure.requested_bytes)),
                 ""};
}

void keep_worth_saying(std::vector<Finding>& found, std::uint64_t missing_bytes) {
  std::erase_if(found, [&](const Finding& finding) { return finding.bytes < missing_bytes / kWorthSaying; });
  std::ranges::stable_sort(found, std::greater{}, &Finding::bytes);
}

std::string phase_of(const HighPlace& place) {
  return place.phase.empty() ? "between phases" : "in " + place.phase;
}

// The recording has the whole step: no change to one moment lowers the others.
std::vector<Finding> bounds_of(const MemoryFacts& facts, const Peak& peak) {
  const PeakContext context = peak_context(facts, peak);
  const auto& next = context.next_place;
  const auto& outside = context.outside_phase;
  std::vector<Finding> found;
  if (next)
    found.push_back({FindingKind::kNextPeak, peak.allocated_bytes - next->allocated_bytes,
                     fmt::format("Lowering this peak alone gains at most that: the next-highest is {}, {}.",
                                 said_bytes(next->allocated_bytes), phase_of(*next)),
                     ""});
  if (outside && (!next || outside->allocated_bytes != next->allocated_bytes))
    found.push_back(
        {FindingKind::kOutsidePhase, peak.allocated_bytes - outside->allocated_bytes,
         fmt::format("Changing {} alone gains at most that: outside of it the highest is {}, {}.",
                     context.part_of_step, said_bytes(outside->allocated_bytes), phase_of(*outside)),
         ""});
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

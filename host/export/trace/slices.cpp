// SPDX-License-Identifier: Apache-2.0
#include "host/export/trace/slices.hpp"

#include <strata/ext/phase.h>

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::exports {
namespace {

using analysis::MemoryFacts;
using analysis::PhaseFact;

std::vector<Slice> nested(std::vector<Slice> slices, const MemoryFacts& facts) {
  std::ranges::stable_sort(slices, {}, &Slice::begin_ns);
  std::vector<std::int64_t> open_until;
  for (Slice& slice : slices) {
    while (!open_until.empty() && open_until.back() <= slice.begin_ns) open_until.pop_back();
    const std::int64_t limit =
        open_until.empty() ? std::max(facts.end_ns, slice.begin_ns) : open_until.back();
    slice.end_ns = std::clamp(slice.end_ns, slice.begin_ns, limit);
    open_until.push_back(slice.end_ns);
  }
  return slices;
}

template <typename Range>
std::vector<Slice> slices_of(const std::vector<Range>& intervals, const MemoryFacts& facts) {
  std::vector<Slice> slices;
  slices.reserve(intervals.size());
  for (std::size_t index = 0; index < intervals.size(); ++index)
    slices.push_back({intervals[index].begin_ns, intervals[index].end_ns, index});
  return nested(std::move(slices), facts);
}

bool is_of_micro_batch(const PhaseFact& phase) {
  switch (phase.kind) {
    case STRATA_PHASE_DATA:
    case STRATA_PHASE_HOST_TO_DEVICE:
    case STRATA_PHASE_FORWARD:
    case STRATA_PHASE_LOSS:
    case STRATA_PHASE_BACKWARD:
    case STRATA_PHASE_GRADIENT_SYNC:
      return phase.step >= 0;
    default:
      return false;
  }
}

}  // namespace

std::vector<Slice> step_slices(const MemoryFacts& facts) {
  return slices_of(facts.steps, facts);
}

std::vector<Slice> phase_slices(const MemoryFacts& facts) {
  return slices_of(facts.phases, facts);
}

std::vector<Slice> micro_batch_slices(const MemoryFacts& facts) {
  std::vector<Slice> slices;
  const PhaseFact* last = nullptr;
  for (std::size_t index = 0; index < facts.phases.size(); ++index) {
    const PhaseFact& phase = facts.phases[index];
    if (!is_of_micro_batch(phase)) continue;
    if (last == nullptr || last->step != phase.step || last->micro_batch != phase.micro_batch)
      slices.push_back({phase.begin_ns, phase.end_ns, index});
    slices.back().end_ns = std::max(slices.back().end_ns, phase.end_ns);
    last = &phase;
  }
  return nested(std::move(slices), facts);
}

}  // namespace strata::exports

// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/checks/reconciliation.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/steps/scope_levels.hpp"

namespace strata::analysis {
namespace {

CategoryBytes requested_at_moment(const MemoryFacts& facts, std::uint64_t sequence) {
  CategoryBytes bytes{};
  for (const Block& block : facts.blocks) {
    if (block.birth_sequence > sequence) break;
    if (sequence < block.death_sequence)
      bytes.at(static_cast<std::size_t>(block.category)) += block.bytes - block.rounding_bytes;
  }
  return bytes;
}

const ResidentSample* largest_resident(const MemoryFacts& facts) {
  const ResidentSample* largest = nullptr;
  for (const ResidentSample& sample : facts.samples.resident) {
    const bool within = facts.window_begin_ns <= sample.ns && sample.ns <= facts.window_end_ns;
    if (within && (largest == nullptr || sample.bytes > largest->bytes)) largest = &sample;
  }
  return largest;
}

}  // namespace

Reconciliation reconcile(const MemoryFacts& facts, std::uint64_t sequence, std::int64_t ns) {
  const Peak moment = alive_at(facts, sequence, ns);
  Reconciliation result;
  result.sequence = sequence;
  result.ns = ns;
  result.step = moment.step;
  result.phase = moment.phase;
  result.allocated_bytes = moment.allocated_bytes;
  result.allocated_by = moment.categories;
  result.requested_by = requested_at_moment(facts, sequence);
  result.requested_bytes =
      std::accumulate(result.requested_by.begin(), result.requested_by.end(), std::uint64_t{0});
  result.rounding_bytes = result.allocated_bytes - result.requested_bytes;
  result.reserved_bytes = moment.reserved_bytes;
  if (const DeferredPoint* const deferred = last_at(facts.samples.deferred, sequence))
    result.deferred_bytes = deferred->bytes;
  result.unused_bytes = static_cast<std::int64_t>(result.reserved_bytes) -
                        static_cast<std::int64_t>(result.allocated_bytes + result.deferred_bytes);
  if (const auto used = LevelLines(facts).device_used_at(sequence)) {
    result.device_used_bytes = used;
    result.device_total_bytes = facts.samples.device.back().total_bytes;
    result.outside_bytes =
        static_cast<std::int64_t>(*used) - static_cast<std::int64_t>(result.reserved_bytes);
  }
  if (const ResidentSample* const sample = last_at(facts.samples.resident, sequence))
    result.resident_bytes = sample->bytes;
  return result;
}

Reconciliation reconcile_peak(const MemoryFacts& facts) {
  if (facts.on_host()) {
    if (const ResidentSample* const sample = largest_resident(facts))
      return reconcile(facts, sample->sequence, sample->ns);
  }
  return reconcile(facts, facts.peak.sequence, facts.peak.ns);
}

}  // namespace strata::analysis

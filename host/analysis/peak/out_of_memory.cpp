// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/peak/out_of_memory.hpp"

#include <algorithm>

#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/peak/findings.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/recording/recording.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "strata/ext/module.h"

namespace strata::analysis {
std::vector<OutOfMemory> explain_failures(const MemoryFacts& facts, const Recording& run, const OpTable& ops,
                                          const Layers& layers) {
  std::vector<OutOfMemory> failures;
  for (const FailureRow& row : run.failures) {
    OutOfMemory failure;
    failure.requested_bytes = row.bytes;
    failure.device_free_bytes = row.device_free_bytes;
    failure.largest_gap_bytes = row.largest_gap_bytes;
    if (const auto op = ops.find(row.op)) failure.op = ops.maker(*op);
    failure.layer = layers.at(row.op, row.module);
    failure.held = alive_at(facts, row.sequence, row.ns);
    failure.findings = findings_of(facts, failure);
    failures.push_back(std::move(failure));
  }
  return failures;
}

std::vector<FailedForward> failed_forwards(const MemoryFacts& facts, const Recording& run) {
  std::vector<FailedForward> failed;
  for (const FailureRow& failure : run.failures) {
    const auto outermost = std::ranges::find_if(run.modules, [&](const ModuleRow& module) {
      return module.direction == STRATA_MODULE_FORWARD && module.parent == 0 &&
             module.begin_sequence < failure.sequence && failure.sequence < module.end_sequence;
    });
    if (outermost == run.modules.end() || outermost->end_sequence == kNever) continue;
    // A library may ask again for less.
    const auto next = std::ranges::upper_bound(facts.blocks, failure.sequence, {}, &Block::birth_sequence);
    if (next != facts.blocks.end() && next->birth_sequence < outermost->end_sequence) continue;
    failed.push_back({outermost->begin_sequence, failure.sequence, outermost->end_sequence});
  }
  return failed;
}

bool ended_out_of_memory(const Recording& run, const BlockTable& table) {
  if (run.failures.empty()) return false;
  if (run.end == RunEnd::kOutOfMemory) return true;
  const std::uint64_t last = run.failures.back().sequence;
  return std::ranges::none_of(table.blocks,
                              [&](const BlockHistory& block) { return block.birth_sequence > last; });
}

bool is_before_any_forward(const MemoryFacts& facts, const OutOfMemory& failure) {
  return !has_gone_forward(facts.phases, failure.held.sequence);
}

bool has_computed(const MemoryFacts& facts, const OutOfMemory& failure) {
  return std::ranges::any_of(facts.blocks, [&](const Block& block) {
    return block.birth_sequence <= failure.held.sequence &&
           (traits_of(facts.texts[block.op]) & kMatrixProduct) != 0;
  });
}

}  // namespace strata::analysis

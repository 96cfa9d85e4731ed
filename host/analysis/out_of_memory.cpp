// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/out_of_memory.hpp"

#include "host/analysis/peak.hpp"
#include "host/analysis/remedies.hpp"

namespace strata::analysis {

std::vector<OutOfMemory> explain_failures(const Facts& facts, const Recording& run, const OpTable& ops,
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
    failure.remedies = find_remedies(facts, failure);
    failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace strata::analysis

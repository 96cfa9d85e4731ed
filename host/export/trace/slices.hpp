// SPDX-License-Identifier: Apache-2.0
// Steps, micro-batches and phases as nested time intervals, for a trace viewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

struct Slice {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::size_t index = 0;  // into the list it was made from
};

// By begin. Within each list, any two are disjoint or nested. A range that never ended ends with its
// enclosing one, or with the run.
std::vector<Slice> step_slices(const analysis::MemoryFacts& facts);   // index into Facts::steps
std::vector<Slice> phase_slices(const analysis::MemoryFacts& facts);  // index into Facts::phases
// From the first to the last phase of data, forward, loss, backward and similar; index of the first phase.
std::vector<Slice> micro_batch_slices(const analysis::MemoryFacts& facts);

}  // namespace strata::exports

// SPDX-License-Identifier: Apache-2.0
// Steps, micro-batches and phases as intervals of time that nest, as a trace viewer draws them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/analysis/facts/forward.hpp"

namespace strata::exports {

struct Slice {
  std::int64_t begin_ns = 0, end_ns = 0;
  std::size_t index = 0;  // into what it was made of
};

// By begin. In each list any two lie apart or one within the other: what never ended ends with what holds it,
// or with the run.
std::vector<Slice> step_slices(const analysis::MemoryFacts& facts);   // index into Facts::steps
std::vector<Slice> phase_slices(const analysis::MemoryFacts& facts);  // index into Facts::phases
// From the first to the last phase of data, forward, loss, backward and their kind; index of the first of
// them.
std::vector<Slice> micro_batch_slices(const analysis::MemoryFacts& facts);

}  // namespace strata::exports

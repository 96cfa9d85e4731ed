// SPDX-License-Identifier: Apache-2.0
// The memory alive when an allocation failed.
#pragma once

#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/layers.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/facts/failure.hpp"

namespace strata::analysis {

struct MemoryFacts;
struct Recording;

// Requires the blocks, phases, steps, texts, points, reserved points, samples and failed forwards of `facts`.
std::vector<OutOfMemory> explain_failures(const MemoryFacts& facts, const Recording& run, const OpTable& ops,
                                          const Layers& layers);

// By sequence. Requires the blocks of `facts`.
std::vector<FailedForward> failed_forwards(const MemoryFacts& facts, const Recording& run);

// Whether nothing was allocated after the last failed allocation: then the program ended there, and blocks
// that it freed were not meant to die then.
bool ended_out_of_memory(const Recording& run, const BlockTable& table);

// Whether no forward had begun by then, so that nothing shows the roles of memory.
bool is_before_any_forward(const MemoryFacts& facts, const OutOfMemory& failure);

// Whether a matrix product or a convolution was made by then, as by an evaluation before training. Requires
// `facts.blocks` and its texts.
bool has_computed(const MemoryFacts& facts, const OutOfMemory& failure);

}  // namespace strata::analysis

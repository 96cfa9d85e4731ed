// SPDX-License-Identifier: Apache-2.0
// What filled the device when an allocation failed.
#pragma once

#include <vector>

#include "host/analysis/attribution/blocks.hpp"
#include "host/analysis/attribution/layers.hpp"
#include "host/analysis/attribution/ops.hpp"
#include "host/analysis/facts/failure.hpp"

namespace strata::analysis {

struct MemoryFacts;
struct Recording;

// Needs the blocks, phases, steps, texts, points, reserved points and samples of `facts`.
std::vector<OutOfMemory> explain_failures(const MemoryFacts& facts, const Recording& run, const OpTable& ops,
                                          const Layers& layers);

// Nothing was allocated behind the last allocation that failed: the program ended there, and what it frees
// was not meant to die then.
bool ended_out_of_memory(const Recording& run, const BlockTable& table);

// None has begun by then, so that nothing tells whose memory is whose.
bool is_before_any_forward(const MemoryFacts& facts, const OutOfMemory& failure);

// Whether a matrix product or a convolution was made by then, as an evaluation does before its training.
// Needs `facts.blocks` and its texts.
bool has_computed(const MemoryFacts& facts, const OutOfMemory& failure);

}  // namespace strata::analysis

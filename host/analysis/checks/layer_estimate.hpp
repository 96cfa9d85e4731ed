// SPDX-License-Identifier: Apache-2.0
// A common estimate of activations made with forward hooks: the sum of the outputs of a model's layers in one
// forward. It is compared with the memory that the forward really leaves for backward.
#pragma once

#include <optional>

#include "host/analysis/facts/checks.hpp"

namespace strata::analysis {

struct MemoryFacts;
struct Recording;

// For the first forward phase in which operator outputs were recorded (`trace.layer_outputs: true`); empty if
// there is none. A layer is an operator for which torch.nn has a module, so functions used instead of modules
// also count. `facts` are labelled.
std::optional<LayerEstimate> estimate_from_layers(const MemoryFacts& facts, const Recording& run);

}  // namespace strata::analysis

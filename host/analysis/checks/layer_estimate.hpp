// SPDX-License-Identifier: Apache-2.0
// An estimate of activations that people make with forward hooks: the sum of what a model's layers return in
// one forward. Beside it what that forward really leaves for backward.
#pragma once

#include <optional>

#include "host/analysis/facts/checks.hpp"

namespace strata::analysis {

struct MemoryFacts;
struct Recording;

// Of the first forward phase in which operators' results were recorded (`trace.layer_outputs: true`); nothing
// where there is none. A layer is an operator that torch.nn has a module for: what a model computes with
// functions in place of modules counts too. `facts` are labelled.
std::optional<LayerEstimate> estimate_from_layers(const MemoryFacts& facts, const Recording& run);

}  // namespace strata::analysis

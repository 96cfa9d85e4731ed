// SPDX-License-Identifier: Apache-2.0
// The rules, by what they look at. Each finds the shapes of one step, in no order; none where the facts do
// not prove one.
#pragma once

#include <vector>

#include "host/analysis/shapes/step_view.hpp"

namespace strata::analysis {

struct MemoryFacts;

std::vector<Shape> constant_band(const StepView& step);
std::vector<Shape> forward_triangles(const StepView& step);  // and the stripes of its layers
std::vector<Shape> autocast_copies(const StepView& step);
std::vector<Shape> logits_shapes(const StepView& step);  // the slab, and softmax's spike on it
std::vector<Shape> zero_grad_cliffs(const StepView& step);
std::vector<Shape> backward_starts(const StepView& step);  // its spike, and the cliff behind
std::vector<Shape> head_gradients(const StepView& step);
std::vector<Shape> embedding_gradients(const StepView& step);
std::vector<Shape> recomputation_waves(const StepView& step);
std::vector<Shape> optimizer_plateaus(const StepView& step);  // of temporaries, or flat
std::vector<Shape> division_flagpoles(const StepView& step);
std::vector<Shape> projector_spikes(const StepView& step);

// Of the run.
std::vector<Shape> repeating_steps(const MemoryFacts& facts);
std::vector<Shape> first_step_growth(const MemoryFacts& facts);
std::vector<Shape> growing_memory(const MemoryFacts& facts);
std::vector<Shape> unused_graphs(const MemoryFacts& facts);
std::vector<Shape> unused_reserved(const MemoryFacts& facts);  // pieces, streams, pools, deferred frees

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// The striking places of a memory timeline: each found by a rule on facts. docs/shapes.md has a row for each
// kind, host/report/words the sentences.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/shapes/shape_detail.hpp"

namespace strata::analysis {

enum class ShapeKind : std::uint8_t {
  kConstantBand,
  kRepeatingStep,
  kFirstStepGrowth,
  kGrowingMemory,
  kUnusedGraph,
  kForwardTriangle,
  kLayerStripes,
  kAutocastCopies,
  kLogitsSlab,
  kSoftmaxSpike,
  kZeroGradCliff,
  kBackwardStartSpike,
  kLogitsCliff,
  kHeadGradient,
  kRecomputationWaves,
  kEmbeddingGradient,
  kOptimizerPlateau,
  kFlatOptimizer,
  kDivisionFlagpole,
  kProjectorSpike,
  kFragmentation,
  kStreamCaches,
  kPrivatePools,
  kDeferredFrees
};

struct ShapeName {
  ShapeKind kind = ShapeKind::kConstantBand;
  std::string_view id, title;
};

// In the order of ShapeKind.
inline constexpr std::array<ShapeName, 24> kShapeNames{{
    {ShapeKind::kConstantBand, "constant_band", "Constant band"},
    {ShapeKind::kRepeatingStep, "repeating_step", "Repeats every step"},
    {ShapeKind::kFirstStepGrowth, "first_step_growth", "First-step growth"},
    {ShapeKind::kGrowingMemory, "growing_memory", "Growing memory"},
    {ShapeKind::kUnusedGraph, "unused_graph", "Unused graph"},
    {ShapeKind::kForwardTriangle, "forward_triangle", "Forward triangle"},
    {ShapeKind::kLayerStripes, "layer_stripes", "Per-layer stripes"},
    {ShapeKind::kAutocastCopies, "autocast_copies", "Autocast copies"},
    {ShapeKind::kLogitsSlab, "logits_slab", "Logits slab"},
    {ShapeKind::kSoftmaxSpike, "softmax_spike", "Softmax spike"},
    {ShapeKind::kZeroGradCliff, "zero_grad_cliff", "zero_grad cliff"},
    {ShapeKind::kBackwardStartSpike, "backward_start_spike", "Backward starts"},
    {ShapeKind::kLogitsCliff, "logits_cliff", "Logits cliff"},
    {ShapeKind::kHeadGradient, "lm_head_gradient", "LM-head gradient"},
    {ShapeKind::kRecomputationWaves, "recomputation_waves", "Recomputation waves"},
    {ShapeKind::kEmbeddingGradient, "embedding_gradient", "Embedding gradient"},
    {ShapeKind::kOptimizerPlateau, "optimizer_plateau", "Optimizer plateau"},
    {ShapeKind::kFlatOptimizer, "flat_optimizer", "Flat optimizer"},
    {ShapeKind::kDivisionFlagpole, "division_flagpole", "Division flagpole"},
    {ShapeKind::kProjectorSpike, "projector_spike", "Projector spike"},
    {ShapeKind::kFragmentation, "fragmentation", "Fragmentation"},
    {ShapeKind::kStreamCaches, "stream_caches", "Caches of streams"},
    {ShapeKind::kPrivatePools, "private_pools", "Private pools"},
    {ShapeKind::kDeferredFrees, "deferred_frees", "Deferred frees"},
}};

constexpr const ShapeName& name_of(ShapeKind kind) {
  return kShapeNames.at(static_cast<std::size_t>(kind));
}

// One place of the timeline. What repeats is one shape, shown for one step.
struct Shape {
  ShapeKind kind = ShapeKind::kConstantBand;
  std::string device;
  std::int64_t step = -1;   // that it is shown for
  std::uint64_t count = 1;  // steps of the window that have it
  std::int64_t begin_ns = 0, end_ns = 0;
  std::int64_t at_ns = 0;            // where an arrow points to
  std::uint64_t bytes = 0;           // of the shape itself: its height, or what falls
  std::uint64_t level_bytes = 0;     // how high over zero the arrow's tip is
  std::string layer;                 // empty: of no single module
  std::uint64_t block_sequence = 0;  // birth of the one block that it is; 0: it is of several, or of none
  std::vector<Remedy> remedies;      // that would remove it or make it smaller; of each kind in one order
  ShapeDetail detail;                // the structure of its kind
};

}  // namespace strata::analysis

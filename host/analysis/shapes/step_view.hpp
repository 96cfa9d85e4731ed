// SPDX-License-Identifier: Apache-2.0
// One step as the rules of shapes look at it: its blocks, its phases, and how high memory stands.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/analysis/shapes/shape.hpp"

namespace strata::analysis {

// Sequences, both ends included.
struct Span {
  std::uint64_t begin = 0, end = 0;
  bool holds(std::uint64_t sequence) const { return begin <= sequence && sequence <= end; }
};

// How much is allocated right after an event.
struct Level {
  std::uint64_t sequence = 0;
  std::int64_t ns = 0;
  std::uint64_t bytes = 0;
};

// One forward with its loss and its backward. What runs again inside a backward is the backward's.
struct MicroBatch {
  Span forward;
  std::optional<Span> loss, backward;
};

// The first that holds `sequence`, both ends included; null where none does.
const StepFact* step_at(const MemoryFacts& facts, std::uint64_t sequence);

class StepView {
 public:
  // A complete step of the facts; `alive_before` are the blocks that it begins with. Both must outlive this.
  StepView(const MemoryFacts& facts, const StepFact& step, std::span<const Block* const> alive_before);

  const MemoryFacts& facts() const { return facts_; }
  const StepFact& step() const { return step_; }
  Span span() const { return {step_.begin_sequence, step_.end_sequence}; }
  std::span<const Block* const> alive_before() const { return alive_before_; }
  std::span<const Block> born_in(const Span& span) const;
  std::span<const Block> born() const { return born_in(span()); }
  // The step's phases of STRATA_PHASE_* `kind` that lie in no other of their kind and in no backward.
  std::vector<Span> phases(std::uint32_t kind) const;
  const std::vector<MicroBatch>& micro_batches() const { return micro_batches_; }

  Level level_at(std::uint64_t sequence) const;
  // The first of the highest moments; that of the span's begin counts too.
  Level highest(const Span& span) const;

  // A hundredth of the step's peak and more: about the least that a picture shows.
  bool is_seen(std::uint64_t bytes) const { return bytes > 0 && bytes * 100 >= step_.peak_allocated_bytes; }
  std::string_view text(std::uint32_t index) const { return facts_.texts[index]; }
  // A shape that covers `extent` and whose arrow points to `at`, without remedies and detail.
  Shape shape(ShapeKind kind, const Span& extent, const Level& at, std::uint64_t bytes) const;

 private:
  std::vector<MicroBatch> find_micro_batches() const;

  const MemoryFacts& facts_;
  const StepFact& step_;
  std::span<const Block* const> alive_before_;
  std::span<const PhaseFact> phases_;
  std::vector<MicroBatch> micro_batches_;
};

}  // namespace strata::analysis

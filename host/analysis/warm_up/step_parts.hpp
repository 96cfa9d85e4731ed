// SPDX-License-Identifier: Apache-2.0
// The parts of a run's steps, each with its time and counters: the top-level phases, and the time between
// them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/facts/step.hpp"

namespace strata::analysis {

struct Recording;

// Difference between two samples.
enum class Counter : std::uint8_t {
  kCpuNs,
  kWaitNs,
  kFaults,
  kMajorFaults,
  kProcessFaults,
  kChildrenNs,
  kLibraries,
  kThreads
};
inline constexpr std::size_t kCounterCount = static_cast<std::size_t>(Counter::kThreads) + 1;
using Counts = std::array<double, kCounterCount>;

inline double count(const Counts& counts, Counter counter) {
  return counts[static_cast<std::size_t>(counter)];
}

struct PartKey {
  std::uint32_t kind = 0;  // STRATA_PHASE_*; kBetween
  std::uint32_t name = 0;  // index into Recording::texts
  auto operator<=>(const PartKey&) const = default;
};
inline constexpr std::uint32_t kBetweenPhases = UINT32_MAX;

// In wall time.
struct Span {
  std::int64_t begin_ns = 0, end_ns = 0;
};

struct Part {
  double ns = 0.0;
  std::optional<Counts> counts;  // empty: no samples at its begin and end
  std::vector<Span> intervals;
};

struct StepParts {
  std::int64_t step = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint64_t begin_sequence = 0, end_sequence = 0;
  std::uint32_t thread = 0;  // of the loop; 0: unknown
  std::map<PartKey, Part> parts;
  double ns() const { return static_cast<double>(end_ns - begin_ns); }
};

// The completed steps, by number.
std::vector<StepParts> divide_steps(const std::vector<StepFact>& steps, const Recording& run);

// The median time and counters of the parts of steady steps.
struct UsualPart {
  double ns = 0.0;
  std::optional<Counts> counts;
};
struct UsualStep {
  double ns = 0.0;
  std::map<PartKey, UsualPart> parts;
};
UsualStep usual_step(const std::vector<const StepParts*>& steps);

}  // namespace strata::analysis

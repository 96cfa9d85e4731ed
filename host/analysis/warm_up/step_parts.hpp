// SPDX-License-Identifier: Apache-2.0
// A run's steps in parts, each with its time and what was counted in it: the phases that no other phase is
// around, and what lies between them.
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

// Between two samples.
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

// Of wall time.
struct Span {
  std::int64_t begin_ns = 0, end_ns = 0;
};

struct Part {
  double ns = 0.0;
  std::optional<Counts> counts;  // nothing: no samples at its edges
  std::vector<Span> intervals;
};

struct StepParts {
  std::int64_t step = 0;
  std::int64_t begin_ns = 0, end_ns = 0;
  std::uint64_t begin_sequence = 0, end_sequence = 0;
  std::uint32_t thread = 0;  // the driver's; 0: not known
  std::map<PartKey, Part> parts;
  double ns() const { return static_cast<double>(end_ns - begin_ns); }
};

// Of the steps that came to their end, by their number.
std::vector<StepParts> divide_steps(const std::vector<StepFact>& steps, const Recording& run);

// What the parts of steady steps take and count, in the median.
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

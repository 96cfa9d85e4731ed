// SPDX-License-Identifier: Apache-2.0
// Finds the phases open at a moment without examining every phase of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/phase.hpp"

namespace strata::analysis {

// The first phase of that kind open right after `sequence`; null if there is none. Examines every phase.
const PhaseFact* open_phase(const std::vector<PhaseFact>& phases, std::uint32_t kind, std::uint64_t sequence);

// Whether a phase of that kind has begun by `sequence`.
bool has_begun(const std::vector<PhaseFact>& phases, std::uint32_t kind, std::uint64_t sequence);
bool has_gone_forward(const std::vector<PhaseFact>& phases, std::uint64_t sequence = UINT64_MAX);
bool has_gone_backward(const std::vector<PhaseFact>& phases, std::uint64_t sequence = UINT64_MAX);

class OpenPhases {
 public:
  // `phases` by begin_sequence; they must outlive this.
  explicit OpenPhases(const std::vector<PhaseFact>& phases);

  using Index = std::uint32_t;  // of a phase

  // The last phase to begin among those open right after `sequence`: the innermost.
  std::optional<Index> innermost(std::uint64_t sequence) const;
  // The part of the step of the innermost phase: the outermost enclosing phase of a known kind, so a forward
  // repeated within a backward belongs to the backward; itself if there is none. A closure called by an
  // optimizer belongs to the optimizer.
  std::optional<Index> part_of_step(std::uint64_t sequence) const;

 private:
  // The last phase that began before `phase` and is open when it begins.
  std::optional<Index> around(Index phase) const;

  static constexpr Index kNone = UINT32_MAX;
  const std::vector<PhaseFact>& phases_;
  std::vector<Index> around_;
};

}  // namespace strata::analysis

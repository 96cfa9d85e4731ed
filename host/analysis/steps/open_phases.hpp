// SPDX-License-Identifier: Apache-2.0
// Which phases are open at a moment, found without looking at every phase of the run.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "host/analysis/facts/phase.hpp"

namespace strata::analysis {

// The first of that kind that is open right after `sequence`; null where none is. Looks at every phase.
const PhaseFact* open_phase(const std::vector<PhaseFact>& phases, std::uint32_t kind, std::uint64_t sequence);

// Whether one of that kind has begun by `sequence`.
bool has_begun(const std::vector<PhaseFact>& phases, std::uint32_t kind, std::uint64_t sequence);
bool has_gone_forward(const std::vector<PhaseFact>& phases, std::uint64_t sequence = UINT64_MAX);
bool has_gone_backward(const std::vector<PhaseFact>& phases, std::uint64_t sequence = UINT64_MAX);

class OpenPhases {
 public:
  // `phases` by begin_sequence; they must outlive this.
  explicit OpenPhases(const std::vector<PhaseFact>& phases);

  using Index = std::uint32_t;  // of a phase

  // The one that began last of those that are open right after `sequence`: the innermost.
  std::optional<Index> innermost(std::uint64_t sequence) const;
  // The innermost one's part of the step: the outermost phase around it that is of a known kind, so that a
  // forward that runs again within a backward is the backward's; itself where none is. A closure that an
  // optimizer calls is none of its own.
  std::optional<Index> part_of_step(std::uint64_t sequence) const;

 private:
  // The last one that began before `phase` and is open when it begins.
  std::optional<Index> around(Index phase) const;

  static constexpr Index kNone = UINT32_MAX;
  const std::vector<PhaseFact>& phases_;
  std::vector<Index> around_;
};

}  // namespace strata::analysis

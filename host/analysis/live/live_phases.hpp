// SPDX-License-Identifier: Apache-2.0
// The phases of a running run: those open, and the known facts of those in which memory was born.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "host/analysis/attribution/evidence.hpp"
#include "host/analysis/attribution/stage.hpp"
#include "host/analysis/recording/structure_rows.hpp"

namespace strata::analysis {

struct LivePhase {
  std::uint32_t ordinal = 0, parent = 0;
  std::uint32_t kind = 0;  // STRATA_PHASE_*
  std::uint32_t name = 0;  // the store's id of its text
  std::int64_t step = -1;
  std::uint32_t micro_batch = 0;
  std::uint64_t begin_sequence = 0, end_sequence = kNever;
  std::int64_t begin_ns = 0;
  Stage stage = Stage::kBetween;
};

class LivePhases {
 public:
  void begin(LivePhase phase);
  // An end may be read before its begin.
  void end(std::uint32_t ordinal, std::uint64_t sequence);

  // The innermost open one, or nullptr.
  const LivePhase* open() const;
  const LivePhase* find(std::uint32_t ordinal) const;

  // For a live block without an owner that was born in the phase, if the recording ended now.
  Evidence evidence_of_birth_in(std::uint32_t ordinal) const;

  // Drops phases that began before `ns` and have ended, except those in `used`.
  void forget_before(std::int64_t ns, const std::set<std::uint32_t>& used);

 private:
  struct Backward {
    std::uint64_t begin_sequence = kNever;
    std::uint64_t end_sequence = 0;
    int open = 0;
  };
  using Pass = std::pair<std::int64_t, std::uint32_t>;  // step and micro-batch

  std::map<std::uint32_t, LivePhase> phases_;  // by ordinal
  std::set<std::uint32_t> open_;
  std::unordered_map<std::uint32_t, std::uint64_t> early_ends_;
  std::map<Pass, Backward> backwards_;
};

}  // namespace strata::analysis

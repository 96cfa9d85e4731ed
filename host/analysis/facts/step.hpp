// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "host/analysis/facts/category.hpp"

namespace strata::analysis {

struct StepFact {
  std::int64_t index = 0;
  std::uint32_t schedule = 0;  // STRATA_STEP_*
  std::uint64_t begin_sequence = 0, end_sequence = UINT64_MAX;
  std::int64_t begin_ns = 0, end_ns = INT64_MAX;
  double loss = 0.0;         // NaN if unknown
  std::uint64_t tokens = 0;  // in units of Facts::unit
  std::uint64_t peak_allocated_bytes = 0;
  std::uint64_t peak_reserved_bytes = 0;  // equals allocated if the device's allocator does not cache
  bool complete = false;                  // it ended normally, without an interrupt, exception or kill
  std::int64_t epoch = -1;                // -1: the trainer does not count epochs
  // Its highest moment, the first if there are several; its begin if nothing in it is higher.
  std::uint64_t peak_sequence = 0;
  std::int64_t peak_ns = 0;
  std::uint32_t peak_phase = 0;  // index into Facts::phases + 1 of the innermost one then; 0 outside
  CategoryBytes begin_categories{}, peak_categories{};
  bool thinned = false;  // only peaks, losses and times are known
  // For a step ended only by the end of the program: when its last phase ended.
  std::int64_t worked_until_ns = INT64_MAX;

  bool is_open_at(std::uint64_t sequence) const {
    return begin_sequence <= sequence && sequence < end_sequence;
  }
  std::int64_t duration_ns() const { return std::min(end_ns, worked_until_ns) - begin_ns; }
};

// The speed of the window's steps. Steps that were cut short do not count, because their time means nothing.
struct Pace {
  std::uint64_t complete_steps = 0;
  std::optional<double> median_step_ns;  // for an even number the mean of the middle two; empty without steps
  std::optional<double> tokens_per_second;  // over the time inside of steps; empty if no token was counted
};

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
// The activity of a thread as nested slices: steps and phases, modules, operators, and calls of the device's
// runtime. Their times are read by different code; slices that cross are cut, calls first.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/time_facts.hpp"

namespace strata::exports {

struct ThreadSlice {
  // If two begin together, the first kind encloses the other.
  enum class Kind : std::uint8_t { kStep, kPhase, kModule, kOp, kCall };
  std::int64_t begin_ns = 0, end_ns = 0;
  Kind kind = Kind::kOp;
  std::uint32_t index = 0;  // into Facts::steps, Facts::phases, TimeFacts::modules, spans or activities
};

// By thread, each by begin. The facts must have times.
std::map<std::uint32_t, std::vector<ThreadSlice>> thread_slices(const analysis::Facts& facts);

// The training thread: the one that ran the modules, or the first operator.
std::uint32_t driver_thread(const analysis::Facts& facts);

// A device's activities on one stream, in as many rows as needed so that none overlap.
struct StreamRow {
  std::uint32_t device = 0;
  std::uint64_t stream = 0;
  std::uint32_t row = 0;                  // 0: the stream's own
  std::vector<std::uint32_t> activities;  // indices, by begin
};

std::vector<StreamRow> stream_rows(const analysis::TimeFacts& time);

}  // namespace strata::exports

// SPDX-License-Identifier: Apache-2.0
// What a thread did, as slices that nest: steps and phases, modules, operators, and calls of the device's
// runtime. They are told by different clocks' readers; what crosses is cut, a call before all else.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/time_facts.hpp"

namespace strata::exports {

struct ThreadSlice {
  // Of two that begin together, the first holds the other.
  enum class Kind : std::uint8_t { kStep, kPhase, kModule, kOp, kCall };
  std::int64_t begin_ns = 0, end_ns = 0;
  Kind kind = Kind::kOp;
  std::uint32_t index = 0;  // into Facts::steps, Facts::phases, TimeFacts::modules, spans or activities
};

// By thread, each by begin. Facts must have times.
std::map<std::uint32_t, std::vector<ThreadSlice>> thread_slices(const analysis::Facts& facts);

// The one that trained: it ran the modules, or the first operator.
std::uint32_t driver_thread(const analysis::Facts& facts);

// What a device did on one stream, over as many rows as it needs so that none overlap.
struct StreamRow {
  std::uint32_t device = 0;
  std::uint64_t stream = 0;
  std::uint32_t row = 0;                  // 0: the stream's own
  std::vector<std::uint32_t> activities;  // indices, by begin
};

std::vector<StreamRow> stream_rows(const analysis::TimeFacts& time);

}  // namespace strata::exports

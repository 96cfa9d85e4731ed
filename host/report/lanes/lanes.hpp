// SPDX-License-Identifier: Apache-2.0
// What ran when, as rows of intervals that the page draws below the memory: ranges, modules, operators by
// thread, and device activities by stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/time_spans.hpp"

namespace strata::report {

enum class LaneKind : std::uint8_t {
  kRanges,     // phases, then ranges named by the program
  kModules,    // of one thread
  kOperators,  // of one thread, including nodes of the backward graph
  kStream      // of one device: kernels, graphs, copies and sets
};

struct LaneInterval {
  std::int64_t begin_ns = 0, end_ns = 0;  // as recorded
  // By the lane's kind: index into Facts::phases, with TimeFacts::spans after them; Lanes::modules;
  // TimeFacts::spans; TimeFacts::activities.
  std::uint32_t index = 0;
  std::uint32_t row = 0;  // from the top; intervals of a row do not overlap
};

struct Lane {
  LaneKind kind = LaneKind::kOperators;
  std::string title;
  std::vector<LaneInterval> intervals;  // by begin; those that begin together longest first
  std::uint64_t recorded = 0;           // including omitted ones
  std::uint32_t rows = 0;
};

struct LaneLimits {
  std::size_t intervals = 100'000;  // in all lanes, limited by the page's size
  std::uint32_t rows = 16;          // per lane; deeper intervals are omitted
  std::size_t threads = 6;          // the training thread, then those with most intervals
  std::size_t streams = 8;          // those with most intervals
};

struct Lanes {
  std::vector<Lane> lanes;
  std::vector<analysis::ModuleSpan> modules;  // by begin; backward ones are inferred if none were reported
  std::uint64_t recorded = 0;                 // intervals in all lanes
  std::uint64_t left_out = 0;
  // If `left_out` is not 0: the time range in which all intervals are shown, and the length from which all
  // are shown.
  std::int64_t whole_begin_ns = INT64_MIN, whole_end_ns = INT64_MAX;
  std::int64_t least_ns = 0;
};

// Only phases for a run without times.
Lanes lanes_of(const analysis::Facts& facts, const LaneLimits& limits = {});

// Assigns each interval, in lane order, to the first row that is free at its begin: nested intervals are
// below. Drops those beyond `most` rows. Returns the number of rows.
std::uint32_t place_in_rows(std::vector<LaneInterval>& intervals, std::uint32_t most);

// Keeps `most` intervals: half of them the nearest to that moment, then the longest.
void choose_intervals(Lanes& lanes, std::int64_t moment_ns, std::size_t most);

// Forward intervals as recorded; backward ones as recorded if the thread reported any, otherwise for each
// sequence of backward nodes of one module.
std::vector<analysis::ModuleSpan> module_intervals(const analysis::Facts& facts);

}  // namespace strata::report

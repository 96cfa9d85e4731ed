// SPDX-License-Identifier: Apache-2.0
// What ran when, as rows of intervals that the page draws below the memory: ranges, modules, operators by
// thread, and what devices did by stream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/time_spans.hpp"

namespace strata::report {

enum class LaneKind : std::uint8_t {
  kRanges,     // phases, then the ranges that the program named
  kModules,    // of a thread
  kOperators,  // of a thread, nodes of the backward graph among them
  kStream      // of a device: kernels, graphs, copies and sets
};

struct LaneInterval {
  std::int64_t begin_ns = 0, end_ns = 0;  // as recorded
  // By the lane's kind: into Facts::phases and behind these TimeFacts::spans, Lanes::modules,
  // TimeFacts::spans, TimeFacts::activities.
  std::uint32_t index = 0;
  std::uint32_t row = 0;  // from the top; no two of a row overlap
};

struct Lane {
  LaneKind kind = LaneKind::kOperators;
  std::string title;
  std::vector<LaneInterval> intervals;  // by begin, of those that begin together the longest first
  std::uint64_t recorded = 0;           // also those that are left out
  std::uint32_t rows = 0;
};

struct LaneLimits {
  std::size_t intervals = 100'000;  // in all lanes: the page's size
  std::uint32_t rows = 16;          // of a lane; what lies deeper is left out
  std::size_t threads = 6;          // the one that trained, then those of most intervals
  std::size_t streams = 8;          // those of most intervals
};

struct Lanes {
  std::vector<Lane> lanes;
  std::vector<analysis::ModuleSpan> modules;  // by begin; backward ones are found where none were told
  std::uint64_t recorded = 0;                 // intervals of all lanes
  std::uint64_t left_out = 0;
  // Where every interval is there, where `left_out` is not 0; and the shortest length of which every one is.
  std::int64_t whole_begin_ns = INT64_MIN, whole_end_ns = INT64_MAX;
  std::int64_t least_ns = 0;
};

// Nothing but phases of a run without times.
Lanes lanes_of(const analysis::Facts& facts, const LaneLimits& limits = {});

// Gives each interval, which must be in a lane's order, the first row that is free at its begin: what lies
// within another is below it. Drops those beyond `most`. Returns how many rows there are.
std::uint32_t place_in_rows(std::vector<LaneInterval>& intervals, std::uint32_t most);

// Leaves `most` intervals: half of them those that are nearest to that moment, then the longest.
void choose_intervals(Lanes& lanes, std::int64_t moment_ns, std::size_t most);

// Forward's as recorded; backward's too where a thread told any, and else as long as nodes of the backward
// graph of one module follow one another.
std::vector<analysis::ModuleSpan> module_intervals(const analysis::Facts& facts);

}  // namespace strata::report

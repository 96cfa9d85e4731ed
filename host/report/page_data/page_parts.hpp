// SPDX-License-Identifier: Apache-2.0
// The parts of the page's data, one function each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "host/analysis/facts/forward.hpp"
#include "host/analysis/shapes/shape.hpp"
#include "host/report/lanes/lane_columns.hpp"
#include "host/report/stream/event_stream.hpp"

namespace strata::report {

// The maximum lengths of texts on a page. Names are untrusted, and sentences contain some of them.
inline constexpr std::size_t kNameBytes = 300;
inline constexpr std::size_t kSentenceBytes = 1000;

// Failed allocations for the page.
// The first few: the memory alive, the findings, and the command for advice.
nlohmann::json failures_data(const analysis::Facts& facts);

// When memory last ran out, from `begin_ns`, and the state of the stream then; null if it did not.
nlohmann::json ran_out_data(const analysis::Facts& facts, const EventStream& stream, std::int64_t begin_ns);

// `lanes` of the page's data (docs/report.md): the description of `columns`. Times count from begin_ns.
nlohmann::json lanes_data(const analysis::Facts& facts, const Lanes& lanes, const LaneColumns& columns);

// The maximum number of modules on the page; the largest are kept.
inline constexpr std::size_t kPageLayers = 1500;

// `layers` of the page's data (docs/report.md): each module after its parent.
nlohmann::json layers_data(const analysis::MemoryFacts& facts);

// `ops` of the page's data (docs/report.md): operators by memory held at the peak and by time, the largest of
// each.
nlohmann::json ops_data(const analysis::Facts& facts);

// `scopes` of the page's data (docs/report.md): the peaks of run, window, epochs and steps, and the parts of
// the device memory in use at the run's peak.
nlohmann::json scopes_data(const analysis::MemoryFacts& facts);

// The shapes of the timeline for the page.
inline constexpr std::size_t kPageShapes = 100;

// The largest kPageShapes, sorted by time; times from `begin_ns`.
nlohmann::json shapes_data(const analysis::MemoryFacts& facts, const std::vector<analysis::Shape>& shapes,
                           const EventStream& stream, std::int64_t begin_ns);

// `faults` of the page's data (docs/report.md): errors between trainer, plugins and store, and lost data,
// with counts.
nlohmann::json faults_data(const analysis::Facts& facts);

// `time` of the page's data (docs/report.md): how the window's steps spent their time, except operators,
// which are listed with their memory; null for a run without times.
nlohmann::json time_data(const analysis::Facts& facts);

// `warm_up` of the page's data (docs/report.md): the first steady step of the run, and the extra time of the
// steps before it.
nlohmann::json warm_up_data(const analysis::Facts& facts);

// Streams and private pools at the peak for the page: `list` with `name`, `allocated`, `reserved` (null:
// unknown) and `blocks`, the first 20, and `free_elsewhere`, null if unknown.
nlohmann::json place_data(const analysis::MemoryFacts& facts);

}  // namespace strata::report

// SPDX-License-Identifier: Apache-2.0
// Events of a trace in Chrome's format, one after the other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

// A row of a viewer.
struct TraceTrack {
  std::uint64_t process = 0, thread = 0;
};

// One of several ranks in one trace: all of it is one process there, with times on one clock.
struct RankInTrace {
  std::uint64_t rank = 0;
  std::string name;                                     // of the process
  std::int64_t origin_ns = 0;                           // on that clock, of the trace's begin
  std::function<std::int64_t(std::int64_t)> to_common;  // a moment of the rank on that clock
};

class TraceEvents {
 public:
  // `rank` of a trace of several; it must outlive this. `is_first`: nothing is in the trace so far.
  TraceEvents(const analysis::MemoryFacts& facts, Buffer& out, const RankInTrace* rank = nullptr,
              bool is_first = true)
      : facts_(facts), out_(out), rank_(rank), is_first_(is_first) {}

  // Opens an event; `name` is JSON. The caller adds what is its own, and the brace.
  void begin(std::string_view phase, TraceTrack track, std::int64_t ns, std::string_view name);
  // Of an open event: how long it takes.
  void add_length(std::int64_t begin_ns, std::int64_t end_ns);
  // Names the track, or its process where it is asked for; `sort_index` orders them.
  void name_process(std::uint64_t process, std::string_view name, std::string_view label, int sort_index);
  void name_thread(TraceTrack track, std::string_view name, std::int64_t sort_index);

  // Of what belongs together over several events: unlike any of another rank.
  std::uint64_t id(std::uint64_t number) const;

  // Since the trace's begin, and within the run.
  std::int64_t within(std::int64_t ns) const;
  Buffer& out() { return out_; }

 private:
  TraceTrack placed(TraceTrack track);

  const analysis::MemoryFacts& facts_;
  Buffer& out_;
  const RankInTrace* rank_;
  bool is_first_;
  std::vector<std::uint64_t> processes_;  // of a rank's own, in the order in which they came
};

}  // namespace strata::exports

// SPDX-License-Identifier: Apache-2.0
// Writes the events of a trace in Chrome's format.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

// A row in a viewer.
struct TraceTrack {
  std::uint64_t process = 0, thread = 0;
};

// One of several ranks in one trace: each is a process, with times on a common clock.
struct RankInTrace {
  std::uint64_t rank = 0;
  std::string name;                                     // of the process
  std::int64_t origin_ns = 0;                           // the trace's begin on that clock
  std::function<std::int64_t(std::int64_t)> to_common;  // converts a time of the rank to that clock
};

class TraceEvents {
 public:
  // `rank` in a trace of several; it must outlive this. `is_first`: the trace is still empty.
  TraceEvents(const analysis::MemoryFacts& facts, Buffer& out, const RankInTrace* rank = nullptr,
              bool is_first = true)
      : facts_(facts), out_(out), rank_(rank), is_first_(is_first) {}

  // Begins an event; `name` is JSON. The caller adds its own fields and the closing brace.
  void begin(std::string_view phase, TraceTrack track, std::int64_t ns, std::string_view name);
  // Adds the duration of the current event.
  void add_length(std::int64_t begin_ns, std::int64_t end_ns);
  // Names the track, or its process if requested; `sort_index` determines the order.
  void name_process(std::uint64_t process, std::string_view name, std::string_view label, int sort_index);
  void name_thread(TraceTrack track, std::string_view name, std::int64_t sort_index);

  // For events that belong together: different from the ids of other ranks.
  std::uint64_t id(std::uint64_t number) const;

  // Since the trace's begin, limited to the run.
  std::int64_t within(std::int64_t ns) const;
  Buffer& out() { return out_; }

 private:
  TraceTrack placed(TraceTrack track);

  const analysis::MemoryFacts& facts_;
  Buffer& out_;
  const RankInTrace* rank_;
  bool is_first_;
  std::vector<std::uint64_t> processes_;  // of a rank, in order of appearance
};

}  // namespace strata::exports

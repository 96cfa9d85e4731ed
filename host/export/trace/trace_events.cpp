// SPDX-License-Identifier: Apache-2.0
#include "host/export/trace/trace_events.hpp"

#include <algorithm>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/export/text.hpp"

namespace strata::exports {

namespace {

// The ranges of track numbers per process of a rank, and of ids per rank.
constexpr std::uint64_t kTracksOfProcess = 100'000'000'000, kIdsOfRank = std::uint64_t{1} << 36;

}  // namespace

TraceTrack TraceEvents::placed(TraceTrack track) {
  if (rank_ == nullptr) return track;
  const auto known = std::ranges::find(processes_, track.process);
  const auto which = static_cast<std::uint64_t>(known - processes_.begin());
  if (known == processes_.end()) processes_.push_back(track.process);
  return {rank_->rank, which * kTracksOfProcess + track.thread};
}

std::uint64_t TraceEvents::id(std::uint64_t number) const {
  return rank_ == nullptr ? number : rank_->rank * kIdsOfRank + number;
}

void TraceEvents::begin(std::string_view phase, TraceTrack wanted, std::int64_t ns, std::string_view name) {
  const TraceTrack track = placed(wanted);
  out_.append(is_first_ ? "" : ",\n");
  is_first_ = false;
  const std::int64_t since = within(ns);
  out_.format(R"({{"ph":"{}","pid":{},"tid":{},"ts":{}.{:03},"name":{})", phase, track.process, track.thread,
              since / 1000, since % 1000, name);
}

void TraceEvents::add_length(std::int64_t begin_ns, std::int64_t end_ns) {
  const std::int64_t duration = std::max<std::int64_t>(0, within(end_ns) - within(begin_ns));
  out_.format(R"(,"dur":{}.{:03})", duration / 1000, duration % 1000);
}

void TraceEvents::name_process(std::uint64_t process, std::string_view name, std::string_view label,
                               int sort_index) {
  if (rank_ != nullptr) {
    if (!processes_.empty()) return;
    name = rank_->name;
    label = {};
    sort_index = static_cast<int>(rank_->rank);
  }
  const TraceTrack track{process, 0};
  begin("M", track, facts_.begin_ns, R"("process_name")");
  out_.format(R"(,"args":{{"name":{}}}}})", json_text(name));
  if (!label.empty()) {
    begin("M", track, facts_.begin_ns, R"("process_labels")");
    out_.format(R"(,"args":{{"labels":{}}}}})", json_text(label));
  }
  begin("M", track, facts_.begin_ns, R"("process_sort_index")");
  out_.format(R"(,"args":{{"sort_index":{}}}}})", sort_index);
}

void TraceEvents::name_thread(TraceTrack track, std::string_view name, std::int64_t sort_index) {
  begin("M", track, facts_.begin_ns, R"("thread_name")");
  out_.format(R"(,"args":{{"name":{}}}}})", json_text(name));
  begin("M", track, facts_.begin_ns, R"("thread_sort_index")");
  out_.format(R"(,"args":{{"sort_index":{}}}}})", sort_index);
}

std::int64_t TraceEvents::within(std::int64_t ns) const {
  const std::int64_t inside = std::clamp(ns, facts_.begin_ns, std::max(facts_.begin_ns, facts_.end_ns));
  if (rank_ == nullptr) return inside - facts_.begin_ns;
  return std::max<std::int64_t>(0, rank_->to_common(inside) - rank_->origin_ns);
}

}  // namespace strata::exports

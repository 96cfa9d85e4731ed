// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/table_readers.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace strata::analysis {
namespace {

using Need = TableReader::Need;

// The largest time or count accepted from a store, so that differences and sums do not overflow.
constexpr std::int64_t kMost = std::int64_t{1} << 52;

std::int64_t bounded(std::int64_t value) {
  return std::clamp(value, std::int64_t{-1}, kMost);
}

template <typename Range>
bool ends_after_it_begins(const Range& range) {
  return range.end_ns >= range.begin_ns;
}

class WarmUpReader {
 public:
  WarmUpReader(TableReader& tables, Recording& run) : tables_(tables), run_(run), rows_(run.warm_up) {}

  void read_samples() {
    tables_.each(
        "warmup_analyzer_sample", Need::kOptional,
        {"monotonic_ns", "thread", "edge", "phase", "thread_cpu_ns", "thread_wait_ns", "thread_minor_faults",
         "thread_major_faults", "minor_faults", "major_faults", "involuntary_switches", "children_cpu_ns",
         "libraries", "threads"},
        [&](const Row& row) {
          const std::uint32_t edge = row.small(2);
          if (edge > static_cast<std::uint32_t>(SampleEdge::kPhaseEnd)) return;
          rows_.samples.push_back(
              {.ns = tables_.time_ns(row, 0),
               .thread = row.small(1),
               .edge = static_cast<SampleEdge>(edge),
               .phase = row.small(3),
               .counters = {bounded(row.integer(4)), bounded(row.integer(5)), bounded(row.integer(6)),
                            bounded(row.integer(7)), bounded(row.integer(8)), bounded(row.integer(9)),
                            bounded(row.integer(10)), bounded(row.integer(11)), bounded(row.integer(12)),
                            bounded(row.integer(13))}});
        });
    std::ranges::stable_sort(rows_.samples, {}, &CounterSample::ns);
  }

  void read_libraries() {
    tables_.each("warmup_analyzer_library", Need::kOptional, {"monotonic_ns", "path"}, [&](const Row& row) {
      rows_.libraries.push_back({tables_.time_ns(row, 0), tables_.text(row, 1)});
    });
  }

  void read_operators() {
    tables_.each("warmup_analyzer_call", Need::kOptional,
                 {"begin_ns", "end_ns", "self_ns", "minor_faults", "libraries", "thread", "name", "first"},
                 [&](const Row& row) {
                   const OperatorCall call{.begin_ns = tables_.time_ns(row, 0),
                                           .end_ns = tables_.time_ns(row, 1),
                                           .self_ns = bounded(row.integer(2)),
                                           .minor_faults = bounded(row.integer(3)),
                                           .libraries = bounded(row.integer(4)),
                                           .thread = row.small(5),
                                           .name = tables_.text(row, 6),
                                           .is_first = row.integer(7) == 1};
                   if (ends_after_it_begins(call)) rows_.calls.push_back(call);
                 });
    tables_.each("warmup_analyzer_operator", Need::kOptional, {"step", "name", "calls", "self_ns"},
                 [&](const Row& row) {
                   rows_.operators.push_back({row.integer(0), tables_.text(row, 1), row.bits(2),
                                              std::max<std::int64_t>(0, bounded(row.integer(3)))});
                 });
  }

  void read_activities() {
    tables_.each("warmup_analyzer_activity", Need::kOptional,
                 {"begin_ns", "end_ns", "bytes", "thread", "kind", "detail", "name", "modelled"},
                 [&](const Row& row) {
                   const StartActivity activity{.begin_ns = tables_.time_ns(row, 0),
                                                .end_ns = tables_.time_ns(row, 1),
                                                .bytes = row.bits(2),
                                                .thread = row.small(3),
                                                .kind = row.small(4),
                                                .detail = row.small(5),
                                                .name = tables_.text(row, 6),
                                                .is_modelled = row.integer(7) != 0};
                   if (!ends_after_it_begins(activity)) return;
                   rows_.activities.push_back(activity);
                   rows_.longest_activity_ns =
                       std::max(rows_.longest_activity_ns, activity.end_ns - activity.begin_ns);
                 });
    std::ranges::stable_sort(rows_.activities, {}, &StartActivity::begin_ns);
  }

  void read_costs() {
    tables_.each("warmup_analyzer_cost", Need::kOptional, {"what", "ns"}, [&](const Row& row) {
      const std::string_view what = run_.texts[tables_.text(row, 0)];
      const double ns = row.real(1);
      if (!std::isfinite(ns) || ns <= 0.0) return;
      if (what == "page_fault") rows_.page_fault_ns = ns;
      if (what == "thread_start") rows_.thread_start_ns = ns;
    });
  }

 private:
  TableReader& tables_;
  Recording& run_;
  WarmUpRows& rows_;
};

}  // namespace

void read_warm_up(TableReader& tables, const StoreFile& file, Recording& run) {
  run.warm_up.is_recorded = file.has_table("warmup_analyzer_sample");
  WarmUpReader reader(tables, run);
  reader.read_samples();
  reader.read_libraries();
  reader.read_operators();
  reader.read_activities();
  reader.read_costs();
}

}  // namespace strata::analysis

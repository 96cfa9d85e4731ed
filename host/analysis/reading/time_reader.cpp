// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/table_readers.hpp"

#include <algorithm>
#include <unordered_map>

namespace strata::analysis {
namespace {

using Need = TableReader::Need;

template <typename Rows, typename Key>
std::size_t drop_repeated(Rows& rows, Key key) {
  std::ranges::stable_sort(rows, {}, key);
  const auto repeated = std::unique(rows.begin(), rows.end(),
                                    [&](const auto& one, const auto& next) { return one.*key == next.*key; });
  const auto count = static_cast<std::size_t>(rows.end() - repeated);
  rows.erase(repeated, rows.end());
  return count;
}

class TimeReader {
 public:
  TimeReader(TableReader& tables, Recording& run) : tables_(tables), run_(run), rows_(run.time) {}

  void read_ops() {
    tables_.each("cupti_timeline_op", Need::kOptional,
                 {"begin_ns", "end_ns", "op", "parent", "thread", "kind", "name", "module",
                  "autograd_sequence", "forward_thread"},
                 [&](const Row& row) {
                   OpTimeRow op;
                   op.begin_ns = tables_.time_ns(row, 0);
                   op.end_ns = tables_.time_ns(row, 1);
                   op.ordinal = row.bits(2);
                   op.parent = row.bits(3);
                   op.thread = row.small(4);
                   op.kind = row.small(5);
                   op.name = tables_.text(row, 6);
                   op.module = row.small(7);
                   op.autograd_sequence = row.integer(8);
                   op.forward_thread = row.bits(9);
                   if (op.end_ns < op.begin_ns) {
                     ++backwards_;
                   } else {
                     rows_.ops.push_back(op);
                   }
                 });
    repeated_ += drop_repeated(rows_.ops, &OpTimeRow::ordinal);
  }

  void read_products() {
    tables_.each("cupti_timeline_product", Need::kOptional,
                 {"op", "batch", "m", "n", "k", "products", "element_bytes", "bytes"}, [&](const Row& row) {
                   rows_.products.push_back({.op = row.bits(0),
                                             .bytes = row.bits(7),
                                             .batch = row.small(1),
                                             .m = row.small(2),
                                             .n = row.small(3),
                                             .k = row.small(4),
                                             .products = row.small(5),
                                             .element_bytes = row.small(6)});
                 });
    repeated_ += drop_repeated(rows_.products, &ProductRow::op);
  }

  void read_activities() {
    tables_.each("cupti_timeline_activity", Need::kOptional,
                 {"activity", "begin_ns", "end_ns", "kind", "detail", "name", "device_index", "stream",
                  "correlation", "thread", "op", "phase", "module", "bytes", "graph", "modelled"},
                 [&](const Row& row) {
                   ActivityRow activity;
                   activity.ordinal = row.bits(0);
                   activity.begin_ns = tables_.time_ns(row, 1);
                   activity.end_ns = tables_.time_ns(row, 2);
                   activity.kind = row.small(3);
                   activity.detail = row.small(4);
                   activity.name = tables_.text(row, 5);
                   activity.device = row.small(6);
                   activity.stream = row.bits(7);
                   activity.correlation = row.bits(8);
                   activity.thread = row.small(9);
                   activity.op = row.bits(10);
                   activity.phase = row.small(11);
                   activity.module = row.small(12);
                   activity.bytes = row.bits(13);
                   activity.graph = row.bits(14);
                   activity.modelled = row.integer(15) != 0;
                   if (activity.end_ns < activity.begin_ns) {
                     ++backwards_;
                   } else {
                     rows_.activities.push_back(activity);
                   }
                 });
    repeated_ += drop_repeated(rows_.activities, &ActivityRow::ordinal);
  }

  void read_launches() {
    std::unordered_map<std::uint64_t, std::uint32_t> launches;  // by the activity's ordinal
    tables_.each("cupti_timeline_kernel", Need::kOptional,
                 {"activity", "grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z", "registers",
                  "static_shared_bytes", "dynamic_shared_bytes"},
                 [&](const Row& row) {
                   rows_.launches.push_back({.grid = {row.small(1), row.small(2), row.small(3)},
                                             .block = {row.small(4), row.small(5), row.small(6)},
                                             .registers = row.small(7),
                                             .static_shared_bytes = row.small(8),
                                             .dynamic_shared_bytes = row.small(9)});
                   launches[row.bits(0)] = static_cast<std::uint32_t>(rows_.launches.size());
                 });
    for (ActivityRow& activity : rows_.activities) {
      if (const auto found = launches.find(activity.ordinal); found != launches.end())
        activity.launch = found->second;
    }
    std::ranges::stable_sort(rows_.activities, {}, &ActivityRow::begin_ns);
  }

  void read_captures() {
    tables_.each("cupti_capture", Need::kOptional,
                 {"activities", "dropped", "refused_buffers", "without_times", "without_call", "lost_origins",
                  "broken_buffers", "late_buffers", "skipped_bytes", "reason"},
                 [&](const Row& row) {
                   rows_.captures.push_back({.activities = row.bits(0),
                                             .dropped = row.bits(1),
                                             .refused_buffers = row.bits(2),
                                             .without_times = row.bits(3),
                                             .without_call = row.bits(4),
                                             .lost_origins = row.bits(5),
                                             .broken_buffers = row.bits(6),
                                             .late_buffers = row.bits(7),
                                             .skipped_bytes = row.bits(8),
                                             .reason = run_.texts[tables_.text(row, 9)]});
                 });
  }

  void warn() const {
    if (repeated_ > 0)
      tables_.warn("{} rows of times repeat the number of another and are left out", repeated_);
    if (backwards_ > 0) tables_.warn("{} rows of times end before they begin and are left out", backwards_);
  }

 private:
  TableReader& tables_;
  const Recording& run_;
  TimeRows& rows_;
  std::size_t repeated_ = 0, backwards_ = 0;
};

}  // namespace

void read_time(const StoreFile& file, TableReader& tables, Recording& run) {
  run.time.recorded = file.has_table("cupti_timeline_op");
  TimeReader reader(tables, run);
  reader.read_ops();
  reader.read_products();
  reader.read_activities();
  reader.read_launches();
  reader.read_captures();
  reader.warn();
}

}  // namespace strata::analysis

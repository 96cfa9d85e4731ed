// SPDX-License-Identifier: Apache-2.0
// Writes device events into the run store, for tests in another process.
#include "strata/plugin.hpp"

namespace {

struct ActivityRow {
  std::int64_t begin_ns, end_ns;
  std::uint64_t correlation, op, bytes;
  std::uint32_t kind, detail, name, phase, module, thread, modelled;
};

strata::Table<ActivityRow> activity_table(const strata::Host& host) {
  return {host,
          "activity",
          "what a device or a caller of it did",
          {STRATA_COLUMN(ActivityRow, begin_ns, STRATA_COLUMN_INT64, "ns", "begin"),
           STRATA_COLUMN(ActivityRow, end_ns, STRATA_COLUMN_INT64, "ns", "end"),
           STRATA_COLUMN(ActivityRow, correlation, STRATA_COLUMN_UINT64, "", "of its call"),
           STRATA_COLUMN(ActivityRow, op, STRATA_COLUMN_UINT64, "", "that it was called under"),
           STRATA_COLUMN(ActivityRow, bytes, STRATA_COLUMN_UINT64, "bytes", "moved"),
           STRATA_COLUMN(ActivityRow, kind, STRATA_COLUMN_UINT32, "", "STRATA_ACTIVITY_*"),
           STRATA_COLUMN(ActivityRow, detail, STRATA_COLUMN_UINT32, "", "by kind"),
           STRATA_COLUMN(ActivityRow, name, STRATA_COLUMN_STRING, "", "of the kernel or the function"),
           STRATA_COLUMN(ActivityRow, phase, STRATA_COLUMN_UINT32, "", "that it was called under"),
           STRATA_COLUMN(ActivityRow, module, STRATA_COLUMN_UINT32, "", "that it was called under"),
           STRATA_COLUMN(ActivityRow, thread, STRATA_COLUMN_UINT32, "", "of the caller"),
           STRATA_COLUMN(ActivityRow, modelled, STRATA_COLUMN_UINT32, "", "1: by a dry device")}};
}

class ActivityWriter {
 public:
  static constexpr strata_descriptor kDescriptor = {
      sizeof(strata_descriptor), 0, "activity_writer", "1.0", "Writes what devices did", nullptr, 0, 0};

  explicit ActivityWriter(const strata::Host& host) : table_(activity_table(host)) {}

  void on_activity(const strata_when&, const strata_activity_event& activity) {
    table_.append({activity.begin_ns, activity.end_ns, activity.correlation, activity.op, activity.bytes,
                   activity.kind, activity.detail, activity.name.id, activity.phase, activity.module,
                   activity.thread, activity.modelled});
  }

 private:
  strata::Table<ActivityRow> table_;
};

}  // namespace

STRATA_EXPORT_PLUGINS(ActivityWriter)

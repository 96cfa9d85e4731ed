// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/memory_counts/device_stats.hpp"

#include "sources/torch/memory_counts/device_memory.hpp"

namespace strata::torch_source {
namespace {

Table<DeviceStatsRow> device_stats_table(const Host& host) {
  const char* const kPeakHelp = "the largest value since reset_sequence";
  return {host,
          "device_stats",
          "torch's own counts of a device, c10's DeviceStats over all pools",
          {STRATA_COLUMN(DeviceStatsRow, sequence, STRATA_COLUMN_UINT64, "",
                         "sequence number of the event at which they were read"),
           STRATA_COLUMN(DeviceStatsRow, reset_sequence, STRATA_COLUMN_UINT64, "",
                         "sequence number of the event at which the peaks were reset; 0: never"),
           STRATA_COLUMN(DeviceStatsRow, device_type, STRATA_COLUMN_UINT32, "", "STRATA_DEVICE_*"),
           STRATA_COLUMN(DeviceStatsRow, device_index, STRATA_COLUMN_UINT32, "",
                         "index of the device among devices of its type"),
           STRATA_COLUMN(DeviceStatsRow, allocated_bytes, STRATA_COLUMN_UINT64, "bytes", "of whole blocks"),
           STRATA_COLUMN(DeviceStatsRow, peak_allocated_bytes, STRATA_COLUMN_UINT64, "bytes", kPeakHelp),
           STRATA_COLUMN(DeviceStatsRow, reserved_bytes, STRATA_COLUMN_UINT64, "bytes", "of segments"),
           STRATA_COLUMN(DeviceStatsRow, peak_reserved_bytes, STRATA_COLUMN_UINT64, "bytes", kPeakHelp),
           STRATA_COLUMN(DeviceStatsRow, requested_bytes, STRATA_COLUMN_UINT64, "bytes",
                         "requested; includes blocks that a stream still uses"),
           STRATA_COLUMN(DeviceStatsRow, peak_requested_bytes, STRATA_COLUMN_UINT64, "bytes", kPeakHelp)},
          STRATA_THIN_MOMENT};
}

}  // namespace

DeviceStatsReport::DeviceStatsReport(const Host& host) : table_(device_stats_table(host)) {}

void DeviceStatsReport::write(const strata_when& when) const {
  for (const DeviceCounts& counts : device_counts()) {
    table_.append({.sequence = when.sequence,
                   .reset_sequence = reset_sequence_,
                   .allocated_bytes = counts.allocated.bytes,
                   .peak_allocated_bytes = counts.allocated.peak_bytes,
                   .reserved_bytes = counts.reserved.bytes,
                   .peak_reserved_bytes = counts.reserved.peak_bytes,
                   .requested_bytes = counts.requested.bytes,
                   .peak_requested_bytes = counts.requested.peak_bytes,
                   .device_type = STRATA_DEVICE_CUDA,
                   .device_index = static_cast<std::uint32_t>(counts.device)});
  }
}

void DeviceStatsReport::write_and_reset(const strata_when& when) {
  write(when);
  reset_device_peaks();
  reset_sequence_ = when.sequence;
}

}  // namespace strata::torch_source

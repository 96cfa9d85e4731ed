// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/memory_counts/memory_samples.hpp"

#include <exception>
#include <string>

#include "sources/torch/memory_counts/process_memory.hpp"

namespace strata::torch_source {
namespace {

Table<DeviceSampleRow> device_sample_table(const Host& host) {
  return {host,
          "device_memory",
          "use of a device's memory at a moment of the run",
          {STRATA_COLUMN(DeviceSampleRow, sequence, STRATA_COLUMN_UINT64, "",
                         "sequence number of the event at which it was taken"),
           STRATA_COLUMN(DeviceSampleRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", "of that event"),
           STRATA_COLUMN(DeviceSampleRow, device_type, STRATA_COLUMN_UINT32, "", "STRATA_DEVICE_*"),
           STRATA_COLUMN(DeviceSampleRow, device_index, STRATA_COLUMN_UINT32, "",
                         "index of the device among devices of its type"),
           STRATA_COLUMN(DeviceSampleRow, used_bytes, STRATA_COLUMN_UINT64, "bytes",
                         "bytes in use, by any process"),
           STRATA_COLUMN(DeviceSampleRow, total_bytes, STRATA_COLUMN_UINT64, "bytes", "of the device")},
          STRATA_THIN_MOMENT};
}

Table<ProcessSampleRow> process_sample_table(const Host& host) {
  return {host,
          "process_memory",
          "the process's use of the machine's memory at a moment of the run",
          {STRATA_COLUMN(ProcessSampleRow, sequence, STRATA_COLUMN_UINT64, "",
                         "sequence number of the event at which it was taken"),
           STRATA_COLUMN(ProcessSampleRow, monotonic_ns, STRATA_COLUMN_INT64, "ns", "of that event"),
           STRATA_COLUMN(ProcessSampleRow, resident_bytes, STRATA_COLUMN_UINT64, "bytes", "resident then"),
           STRATA_COLUMN(ProcessSampleRow, peak_resident_bytes, STRATA_COLUMN_UINT64, "bytes",
                         "largest resident size so far; 0: not read at this moment")},
          STRATA_THIN_MOMENT};
}

// Reading the kernel's values takes half as long.
constexpr std::int64_t kSameMomentNs = 30'000;

bool is_same_moment(std::int64_t read_ns, const strata_when& when) {
  return read_ns != 0 && when.monotonic_ns - read_ns < kSameMomentNs;
}

std::vector<std::uint64_t> reserved_bytes() {
  std::vector<std::uint64_t> reserved;
  for (const DeviceCounts& counts : device_counts()) reserved.push_back(counts.reserved.bytes);
  return reserved;
}

}  // namespace

MemorySamples::MemorySamples(const Host& host)
    : host_(host), devices_(device_sample_table(host)), process_(process_sample_table(host)) {}

void MemorySamples::take(const strata_when& when) {
  take_process(when, true);
  take_devices(when);
}

void MemorySamples::take_what_changed(const strata_when& when) {
  take_process(when, false);
  if (device_answers_ && reserved_bytes() != reserved_bytes_) take_devices(when);
}

void MemorySamples::take_process(const strata_when& when, bool with_peak) {
  if (!is_same_moment(process_read_ns_, when)) {
    last_process_ = {0, 0, resident_bytes().value_or(0), 0};
    process_read_ns_ = when.monotonic_ns;
  }
  if (last_process_.resident_bytes == 0) return;
  if (with_peak && last_process_.peak_resident_bytes == 0)
    last_process_.peak_resident_bytes = peak_resident_bytes().value_or(0);
  last_process_.sequence = when.sequence;
  last_process_.monotonic_ns = when.monotonic_ns;
  process_.append(last_process_);
}

void MemorySamples::take_devices(const strata_when& when) {
  if (!device_answers_) return;
  try {
    if (!is_same_moment(devices_read_ns_, when)) read_devices(when);
    for (DeviceSampleRow& row : last_devices_) {
      row.sequence = when.sequence;
      row.monotonic_ns = when.monotonic_ns;
      devices_.append(row);
    }
  } catch (const std::exception& error) {
    device_answers_ = false;
    host_.warning(std::string("the devices' memory is not sampled from here on: ") + error.what());
  }
}

void MemorySamples::read_devices(const strata_when& when) {
  last_devices_.clear();
  for (const DeviceMemory& memory : device_memory()) {
    last_devices_.push_back({.sequence = when.sequence,
                             .monotonic_ns = when.monotonic_ns,
                             .used_bytes = memory.used_bytes,
                             .total_bytes = memory.total_bytes,
                             .device_type = STRATA_DEVICE_CUDA,
                             .device_index = static_cast<std::uint32_t>(memory.device)});
  }
  reserved_bytes_ = reserved_bytes();
  devices_read_ns_ = when.monotonic_ns;
}

}  // namespace strata::torch_source

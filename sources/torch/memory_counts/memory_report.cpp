// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/memory_counts/memory_report.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>
#include <unistd.h>

#include <atomic>
#include <optional>

#include "sources/torch/host/host_link.hpp"
#include "strata/table.hpp"

namespace strata::torch_source {

// Not in the unnamed namespace: members of a class with linkage have linkage, also if files are compiled
// together.
struct ReportRow {
  std::uint64_t sequence;
  std::uint64_t address;
  std::int64_t bytes;
  std::uint64_t allocated_bytes;
  std::uint32_t thread;
  std::uint32_t device_type;
  std::uint32_t device_index;
  std::uint32_t reserved;
};

namespace {

Table<ReportRow> report_table(const Host& host) {
  return {host,
          "memory_report",
          "a report of c10's own memory reporting",
          {STRATA_COLUMN(ReportRow, sequence, STRATA_COLUMN_UINT64, "",
                         "sequence number of Strata's event for the same block; 0: none"),
           STRATA_COLUMN(ReportRow, thread, STRATA_COLUMN_UINT32, "", "the OS's thread id"),
           STRATA_COLUMN(ReportRow, device_type, STRATA_COLUMN_UINT32, "", "STRATA_DEVICE_*"),
           STRATA_COLUMN(ReportRow, device_index, STRATA_COLUMN_UINT32, "",
                         "index of the device among devices of its type"),
           STRATA_COLUMN(ReportRow, address, STRATA_COLUMN_UINT64, "", "of the block"),
           STRATA_COLUMN(ReportRow, bytes, STRATA_COLUMN_INT64, "bytes", "of the block, negative for a free"),
           STRATA_COLUMN(ReportRow, allocated_bytes, STRATA_COLUMN_UINT64, "bytes",
                         "c10's running total of the device over all threads, after this report")},
          STRATA_THIN_OF_MEMORY};
}

// On one thread c10 reports allocations of the CPU's allocator before we do, and everything else after us:
// whichever report comes first waits here for the other.
struct LastEvent {
  std::uint64_t address;
  std::uint64_t sequence;

  // Its sequence if it was for that block, else 0. Returned once.
  std::uint64_t take(std::uint64_t block) {
    const std::uint64_t found = address == block ? sequence : 0;
    *this = {};
    return found;
  }
};
thread_local std::optional<ReportRow> reported_allocation;
thread_local LastEvent last_free;  // of the CPU
thread_local LastEvent last_cuda;

}  // namespace

class MemoryReport::Reporting final : public c10::MemoryReportingInfoBase {
 public:
  explicit Reporting(const Host& host) : table_(report_table(host)) {}

  void set_active(bool active) { active_.store(active); }

  bool memoryProfilingEnabled() const override { return active_.load(std::memory_order_relaxed); }

  void reportMemoryUsage(void* block, std::int64_t bytes, std::size_t allocated, std::size_t /*reserved*/,
                         c10::Device device) override {
    if (!device.is_cpu() && !device.is_cuda()) return;
    ReportRow row{.sequence = 0,
                  .address = reinterpret_cast<std::uint64_t>(block),
                  .bytes = bytes,
                  .allocated_bytes = allocated,
                  .thread = static_cast<std::uint32_t>(gettid()),
                  .device_type = device.is_cpu() ? STRATA_DEVICE_CPU : STRATA_DEVICE_CUDA,
                  .device_index = device.is_cpu() ? 0 : static_cast<std::uint32_t>(device.index()),
                  .reserved = 0};
    if (device.is_cuda()) {
      row.sequence = last_cuda.take(row.address);
      append(row);
      return;
    }
    append_reported_allocation();
    if (bytes > 0) {
      reported_allocation = row;
      return;
    }
    row.sequence = last_free.take(row.address);
    append(row);
  }

  void reportOutOfMemory(std::int64_t, std::size_t, std::size_t, c10::Device) override {}

  void on_memory(const strata_when& when, const strata_memory_event& memory) {
    const bool block = memory.action == STRATA_MEMORY_ALLOCATE || memory.action == STRATA_MEMORY_FREE;
    if (memory.device.type == STRATA_DEVICE_CUDA) {
      if (block) last_cuda = {memory.address, when.sequence};
      return;
    }
    if (memory.action == STRATA_MEMORY_FREE) last_free = {memory.address, when.sequence};
    if (memory.action != STRATA_MEMORY_ALLOCATE || !reported_allocation) return;
    if (reported_allocation->address == memory.address) reported_allocation->sequence = when.sequence;
    append_reported_allocation();
  }

 private:
  void append_reported_allocation() {
    if (reported_allocation) append(*reported_allocation);
    reported_allocation.reset();
  }

  void append(const ReportRow& row) {
    const Emission emission;  // keeps the host, and so its store
    if (emission && memoryProfilingEnabled()) table_.append(row);
  }

  Table<ReportRow> table_;
  std::atomic<bool> active_{false};
};

MemoryReport::MemoryReport(const Host& host) : reporting_(std::make_shared<Reporting>(host)) {}

void MemoryReport::begin() {
  counted_all_threads_before_ = FLAGS_caffe2_report_cpu_memory_usage;
  FLAGS_caffe2_report_cpu_memory_usage = true;
  reporting_->set_active(true);
  registration_ = std::make_unique<c10::DebugInfoGuard>(c10::DebugInfoKind::PROFILER_STATE, reporting_);
  registered_by_ = std::this_thread::get_id();
}

void MemoryReport::end() {
  if (!registration_) return;
  reporting_->set_active(false);
  FLAGS_caffe2_report_cpu_memory_usage = counted_all_threads_before_;
  if (std::this_thread::get_id() == registered_by_) {
    registration_.reset();
  } else {
    (void)registration_.release();  // its destructor would replace the debug information of this thread
  }
}

void MemoryReport::on_memory(const strata_when& when, const strata_memory_event& memory) {
  reporting_->on_memory(when, memory);
}

}  // namespace strata::torch_source

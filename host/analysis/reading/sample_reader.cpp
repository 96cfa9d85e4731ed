// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/table_readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "host/analysis/allocator/caching_allocator.hpp"

namespace strata::analysis {
namespace {

// No machine has this much memory (1 EiB), so no sum or difference overflows.
constexpr std::uint64_t kLargestMemory = std::uint64_t{1} << 60;

class SampleReader {
 public:
  SampleReader(const StoreFile& file, TableReader& tables, Recording& run)
      : file_(file), tables_(tables), run_(run) {}

  void read() {
    read_device();
    read_resident();
    read_stats();
    read_epochs();
  }

 private:
  template <typename Use>
  void each(std::string_view table, std::initializer_list<std::string_view> columns, Use use) {
    tables_.each(table, TableReader::Need::kOptional, columns, use);
  }

  std::uint64_t bytes(const Row& row, int column) const {
    const std::uint64_t value = row.bits(column);
    if (value <= kLargestMemory) return value;
    tables_.refuse(fmt::format("{} bytes are not a valid amount of memory; the store is damaged", value));
  }

  bool of_the_device(const Row& row, int type_column) const {
    return TableReader::device(row, type_column) == run_.device;
  }

  template <typename Rows>
  static void sort(Rows& rows) {
    std::ranges::stable_sort(rows, {}, [](const auto& row) { return row.sequence; });
  }

  void read_device() {
    each("torch_device_memory",
         {"sequence", "monotonic_ns", "device_type", "device_index", "used_bytes", "total_bytes"},
         [&](const Row& row) {
           if (!of_the_device(row, 2)) return;
           run_.samples.device.push_back({row.bits(0), tables_.time_ns(row, 1), bytes(row, 4), bytes(row, 5),
                                          reserved_at(run_.reserved, row.bits(0))});
         });
    sort(run_.samples.device);
  }

  void read_resident() {
    each("torch_process_memory", {"sequence", "monotonic_ns", "resident_bytes", "peak_resident_bytes"},
         [&](const Row& row) {
           run_.samples.resident.push_back(
               {row.bits(0), tables_.time_ns(row, 1), bytes(row, 2), bytes(row, 3)});
         });
    sort(run_.samples.resident);
  }

  void read_stats() {
    run_.stats_recorded = file_.has_table("torch_device_stats");
    each("torch_device_stats",
         {"sequence", "reset_sequence", "device_type", "device_index", "allocated_bytes",
          "peak_allocated_bytes", "reserved_bytes", "peak_reserved_bytes", "requested_bytes",
          "peak_requested_bytes"},
         [&](const Row& row) {
           if (!of_the_device(row, 2)) return;
           run_.device_stats.push_back({.sequence = row.bits(0),
                                        .reset_sequence = row.bits(1),
                                        .allocated = {row.bits(4), row.bits(5)},
                                        .reserved = {row.bits(6), row.bits(7)},
                                        .requested = {row.bits(8), row.bits(9)}});
         });
    sort(run_.device_stats);
  }

  void read_epochs() {
    each("host_epoch", {"sequence", "epoch", "step"}, [&](const Row& row) {
      run_.epochs.push_back({row.bits(0), row.integer(1), row.integer(2)});
    });
    sort(run_.epochs);
  }

  const StoreFile& file_;
  TableReader& tables_;
  Recording& run_;
};

}  // namespace

void read_samples(const StoreFile& file, TableReader& tables, Recording& run) {
  SampleReader(file, tables, run).read();
}

}  // namespace strata::analysis

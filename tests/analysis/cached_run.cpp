// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/cached_run.hpp"

#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/allocator/deferred.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis::testing {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kDeviceBytes = std::uint64_t{80} << 30;

class CachedRun {
 public:
  CachedRun() {
    run_.name = "cached";
    run_.device = {STRATA_DEVICE_CUDA, 0};
    run_.begin_ns = 1000;
    run_.last_step = UINT64_MAX;
    run_.closed = true;
    run_.end = analysis::RunEnd::kDone;
  }

  std::uint64_t next() { return ++sequence_; }
  std::int64_t now() const { return 1000 + static_cast<std::int64_t>(sequence_) * 10; }

  void begin_step(std::int64_t index) {
    run_.steps.push_back({.step = index, .schedule = 2, .begin_sequence = next(), .begin_ns = now()});
  }
  void end_step() {
    run_.steps.back().end_sequence = next();
    run_.steps.back().end_ns = now();
    run_.steps.back().loss = 1.0;
  }
  void epoch(std::int64_t index) {
    run_.epochs.push_back({run_.steps.back().begin_sequence, index, run_.steps.back().step});
  }

  void memory(std::uint32_t action, std::uint64_t address, std::uint64_t bytes,
              std::uint64_t block_bytes = 0) {
    MemoryRow row;
    row.sequence = next();
    row.ns = now();
    row.action = action;
    row.device = run_.device;
    row.address = address;
    row.bytes = bytes;
    row.handed_out_bytes = handed_out_bytes_;
    handed_out_bytes_ += block_bytes;
    run_.memory.push_back(row);
  }
  void device(std::uint64_t used_bytes) {
    run_.samples.device.push_back(
        {.sequence = sequence_, .ns = now(), .used_bytes = used_bytes, .total_bytes = kDeviceBytes});
  }
  void resident(std::uint64_t bytes, std::uint64_t peak_bytes) {
    run_.samples.resident.push_back({sequence_, now(), bytes, peak_bytes});
  }
  // Counted since the start of the step.
  void stats(DeviceStatsRow::Count allocated, DeviceStatsRow::Count reserved,
             DeviceStatsRow::Count requested) {
    run_.stats_recorded = true;
    run_.device_stats.push_back(
        {sequence_, run_.steps.back().begin_sequence, allocated, reserved, requested});
  }

  // The form in which read_store continues.
  Recording finish() && {
    run_.end_ns = now();
    use_whole_blocks(run_.memory);
    run_.reserved = reserved_points(run_.memory);
    run_.samples.deferred = deferred_points(run_.memory);
    for (DeviceSample& sample : run_.samples.device)
      sample.reserved_bytes = reserved_at(run_.reserved, sample.sequence);
    std::erase_if(run_.memory, [](const MemoryRow& row) {
      return row.action != STRATA_MEMORY_ALLOCATE && row.action != STRATA_MEMORY_FREE;
    });
    return std::move(run_);
  }

 private:
  Recording run_;
  std::uint64_t sequence_ = 0;
  std::uint64_t handed_out_bytes_ = 1 << 30;
};

}  // namespace

Recording cached_run() {
  CachedRun run;
  run.next();
  run.device(500 * kMiB);
  run.resident(50 * kMiB, 50 * kMiB);

  run.begin_step(0);
  run.epoch(0);
  run.resident(70 * kMiB, 70 * kMiB);
  run.memory(STRATA_MEMORY_SEGMENT_ALLOCATE, 0x100000, 2 * kMiB);
  run.memory(STRATA_MEMORY_ALLOCATE, 0x100000, 1000, 1024);
  run.memory(STRATA_MEMORY_ALLOCATE, 0x101000, 2000, 2048);
  run.memory(STRATA_MEMORY_FREE, 0x101000, 2000);
  run.end_step();
  run.device(502 * kMiB);
  run.stats({1024, 3072}, {2 * kMiB, 2 * kMiB}, {1000, 3000});

  run.begin_step(1);
  run.resident(70 * kMiB, 70 * kMiB);
  run.memory(STRATA_MEMORY_SEGMENT_ALLOCATE, 0x1000000, 20 * kMiB);
  run.memory(STRATA_MEMORY_ALLOCATE, 0x1000000, 3 * kMiB, 3 * kMiB);
  run.memory(STRATA_MEMORY_FREE, 0x1000000, 3 * kMiB);
  run.end_step();
  run.resident(60 * kMiB, 90 * kMiB);

  // A stream keeps one of its blocks beyond the free, and torch's count of requested bytes still
  // includes it.
  run.begin_step(2);
  run.epoch(1);
  run.device(562 * kMiB);
  run.memory(STRATA_MEMORY_ALLOCATE, 0x102000, 300, 512);
  run.memory(STRATA_MEMORY_FREE, 0x102000, 300);
  run.memory(STRATA_MEMORY_FREE_DEFERRED, 0x102000, 0);
  run.next();
  run.stats({1024, 1536}, {22 * kMiB, 22 * kMiB}, {1300, 1300});
  run.memory(STRATA_MEMORY_FREE_COMPLETED, 0x102000, 300);
  run.end_step();
  return std::move(run).finish();
}

}  // namespace strata::analysis::testing

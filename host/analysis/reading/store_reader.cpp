// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/store_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/allocator/cuda_allocator.hpp"
#include "host/analysis/allocator/deferred.hpp"
#include "host/analysis/allocator/other_memory.hpp"
#include "host/analysis/reading/allocator_settings.hpp"
#include "host/analysis/reading/device_choice.hpp"
#include "host/analysis/reading/table_readers.hpp"
#include "host/analysis/recording/run_error.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

constexpr std::string_view kSchema = "strata.store/1";
// Far more than clock drift and NTP's slewing.
constexpr std::int64_t kSetClockNs = 1'000'000'000;
// No allocation is larger (1 PiB), so no sum overflows before a store is rejected.
constexpr std::uint64_t kLargestAllocation = std::uint64_t{1} << 50;

template <typename Rows>
void sort_by_sequence(Rows& rows) {
  const auto earlier = [](const auto& left, const auto& right) { return left.sequence < right.sequence; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) std::stable_sort(rows.begin(), rows.end(), earlier);
}

using Need = TableReader::Need;

class StoreReader {
 public:
  StoreReader(const StoreFile& file, ReadingDetail detail, const std::string& device,
              const std::optional<std::string>& allocator_settings)
      : file_(file), detail_(detail), device_(device) {
    run_.allocator_settings = allocator_settings;
  }

  Recording read() && {
    read_meta();
    tables_.read_texts();
    read_moments();
    read_structure(tables_, run_);
    read_tensors();
    read_memory();
    read_failures();
    read_ops();
    read_saved();
    read_stacks();
    read_reports();
    read_snapshot_notes();
    read_layer_outputs();
    read_warm_up(tables_, file_, run_);
    read_time(file_, tables_, run_);
    read_clock();
    read_gaps();
    read_thinned();
    read_cuda_allocator();
    settings_ = read_allocator_settings(tables_, run_);
    read_trainer();
    read_late_rank();
    keep_one_device();
    if (run_.device.type == STRATA_DEVICE_CUDA && leaves_unknown(run_.cuda_allocator))
      run_.warnings.emplace_back(run_.cuda_allocator);
    read_samples(file_, tables_, run_);
    settle_times();
    if (const std::size_t unknown = tables_.unknown_texts(); unknown > 0)
      tables_.warn("{} rows refer to a text that is missing from the store", unknown);
    return std::move(run_);
  }

 private:
  void read_meta() {
    if (!file_.has_table("meta")) tables_.refuse("has no table meta, so it is not a run store");
    std::map<std::string, std::string, std::less<>> meta;
    for (Query query(file_, "meta", {"key", "value"}); query.next();) {
      meta.insert_or_assign(std::string(query.row().text(0)), std::string(query.row().text(1)));
    }
    if (meta["schema"] != kSchema) {
      tables_.refuse(
          fmt::format("has schema '{}', but this program reads {}. Use the version of strata that wrote it",
                      meta["schema"], kSchema));
    }
    run_.name = meta["name"];
    run_.closed = meta["state"] == "closed";
    const bool open = meta["state"] == "open";
    run_.end = !meta["end"].empty() ? run_end_of(meta["end"]) : open ? RunEnd::kOpen : RunEnd::kKilled;
    if (open)
      tables_.warn("its run is still running, or died and was not recovered: the last rows are missing");
    if (meta["state"] == "recovered") tables_.warn("recovered after the process died");
    const auto number = [&](const char* key, std::uint64_t otherwise) {
      const std::string& value = meta[key];
      std::uint64_t parsed = otherwise;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
      if (error != std::errc() || end != value.data() + value.size()) {
        tables_.warn("meta {} is '{}', which is not a number", key, value);
        return otherwise;
      }
      return parsed;
    };
    if (!meta["dry"].empty()) run_.dry.emplace().profile = meta["dry"];
    run_.first_step = number("first_step", 0);
    run_.last_step = number("last_step", UINT64_MAX);
    if (!meta["pid"].empty()) run_.pid = number("pid", 0);
    if (!meta["rank"].empty()) run_.rank = number("rank", 0);
    if (!meta["world_size"].empty()) run_.world_size = number("world_size", 1);
  }

  // Of a process that was told its rank after it had begun.
  void read_late_rank() {
    tables_.each("torch_rank", Need::kOptional, {"rank"}, [&](const Row& row) { run_.rank = row.small(0); });
  }

  void read_moments() {
    tables_.each("host_run_begin", Need::kExpected, {"monotonic_ns"},
                 [&](const Row& row) { run_.begin_ns = tables_.time_ns(row, 0); });
    tables_.each("host_run_end", Need::kOptional, {"monotonic_ns"},
                 [&](const Row& row) { run_.end_ns = tables_.time_ns(row, 0); });
  }

  void read_tensors() {
    tables_.each("host_tensor", Need::kExpected,
                 {"sequence", "role", "name", "device_type", "device_index", "address", "owner_address",
                  "dtype", "shape", "is_frozen"},
                 [&](const Row& row) {
                   run_.tensors.push_back({row.bits(0),
                                           row.small(1),
                                           tables_.text(row, 2),
                                           TableReader::device(row, 3),
                                           row.bits(5),
                                           row.bits(6),
                                           {tables_.text(row, 7), tables_.text(row, 8)},
                                           row.small(9) != 0});
                 });
    sort_by_sequence(run_.tensors);
  }

  void read_memory() {
    tables_.each(
        "allocator_tracer_event", Need::kExpected,
        {"sequence", "monotonic_ns", "thread", "action", "device_type", "device_index", "address", "bytes",
         "op", "phase", "module", "device_handed_out_bytes", "stream", "pool"},
        [&](const Row& row) {
          const std::uint32_t action = row.small(3);
          const std::uint64_t bytes = row.bits(7);
          if (bytes > kLargestAllocation) {
            tables_.refuse(
                fmt::format("allocator_tracer_event, sequence {}: {} is not a valid size of an allocation; "
                            "the store is damaged",
                            row.bits(0), row.integer(7)));
          }
          run_.memory.push_back({row.bits(0), tables_.time_ns(row, 1), row.small(2), action,
                                 TableReader::device(row, 4), row.bits(6), bytes, row.bits(11), row.bits(8),
                                 row.small(9), row.small(10), row.bits(12), row.bits(13)});
        });
    sort_by_sequence(run_.memory);
    const auto same = [](const MemoryRow& left, const MemoryRow& right) {
      return left.sequence == right.sequence;
    };
    const auto repeated = std::unique(run_.memory.begin(), run_.memory.end(), same);
    if (repeated != run_.memory.end()) {
      tables_.warn("{} memory events repeat the sequence number of another and are left out",
                   run_.memory.end() - repeated);
      run_.memory.erase(repeated, run_.memory.end());
    }
  }

  // The data missing in the event with the same sequence.
  void read_failures() {
    std::unordered_map<std::uint64_t, std::uint64_t> free_bytes;
    tables_.each("allocator_tracer_out_of_memory", Need::kOptional, {"sequence", "device_free_bytes"},
                 [&](const Row& row) { free_bytes[row.bits(0)] = row.bits(1); });
    for (const MemoryRow& event : run_.memory) {
      if (event.action != STRATA_MEMORY_OUT_OF_MEMORY) continue;
      FailureRow failure{.sequence = event.sequence,
                         .ns = event.ns,
                         .device = event.device,
                         .bytes = event.bytes,
                         .device_free_bytes = {},
                         .op = event.op,
                         .module = event.module};
      const auto free = free_bytes.find(event.sequence);
      if (free != free_bytes.end() && free->second != UINT64_MAX) failure.device_free_bytes = free->second;
      run_.failures.push_back(failure);
    }
  }

  void read_ops() {
    tables_.each("allocator_tracer_op", Need::kOptional,
                 {"sequence", "thread", "op", "parent", "kind", "name", "autograd_sequence", "forward_thread",
                  "module"},
                 [&](const Row& row) {
                   run_.ops.push_back({row.bits(0), row.bits(2), row.bits(3), row.integer(6), row.bits(7),
                                       row.small(1), row.small(4), tables_.text(row, 5), row.small(8)});
                 });
    sort_by_sequence(run_.ops);
  }

  void read_saved() {
    tables_.each("allocator_tracer_saved", Need::kOptional,
                 {"sequence", "action", "module", "saved", "device_type", "device_index", "address"},
                 [&](const Row& row) {
                   run_.saved.push_back({row.bits(0), row.small(1), row.small(2), row.bits(3),
                                         TableReader::device(row, 4), row.bits(6)});
                 });
    sort_by_sequence(run_.saved);
  }

  void read_stacks() {
    run_.call_stacks = read_call_stacks(
        file_, [&](const Row& row, int column) { return run_.texts[tables_.text(row, column)]; },
        [&](const std::string& what) { tables_.warn("{}", what); });
  }

  // In the order of the file, which is c10's own: several reports can follow one event.
  void read_reports() {
    run_.cross_checked = file_.has_table("torch_memory_report");
    tables_.each("torch_memory_report", Need::kOptional,
                 {"sequence", "thread", "device_type", "device_index", "address", "bytes", "allocated_bytes"},
                 [&](const Row& row) {
                   run_.reports.push_back({row.bits(0), row.small(1), TableReader::device(row, 2),
                                           row.bits(4), row.integer(5), row.bits(6)});
                 });
  }

  void read_cuda_allocator() {
    tables_.each("torch_cuda_allocator", Need::kOptional, {"name", "tracing"}, [&](const Row& row) {
      run_.cuda_allocator = {std::string(run_.texts[tables_.text(row, 0)]), cuda_tracing(row.small(1))};
    });
  }

  void read_trainer() {
    tables_.each("torch_trainer", Need::kOptional, {"name"},
                 [&](const Row& row) { run_.trainer = run_.texts[tables_.text(row, 0)]; });
  }

  void read_snapshot_notes() {
    tables_.each("torch_snapshot_note", Need::kOptional,
                 {"sequence", "category", "user_metadata", "compile_context"}, [&](const Row& row) {
                   run_.snapshot_notes.push_back(
                       {row.bits(0), tables_.text(row, 1), tables_.text(row, 2), tables_.text(row, 3)});
                 });
    sort_by_sequence(run_.snapshot_notes);
  }

  void read_layer_outputs() {
    tables_.each("torch_layer_output", Need::kOptional, {"monotonic_ns", "name", "output_bytes"},
                 [&](const Row& row) {
                   run_.layer_outputs.push_back({tables_.time_ns(row, 0), tables_.text(row, 1), row.bits(2)});
                 });
  }

  void read_clock() {
    std::vector<ClockPair>& pairs = run_.clock.pairs;
    tables_.each("host_clock", Need::kOptional, {"monotonic_ns", "realtime_ns"}, [&](const Row& row) {
      pairs.push_back({tables_.time_ns(row, 0), tables_.time_ns(row, 1)});
    });
    if (!pairs.empty())
      run_.realtime_less_monotonic_ns = pairs.front().realtime_ns - pairs.front().monotonic_ns;
    warn_of_a_set_clock(pairs);
  }

  // Durations are CLOCK_MONOTONIC's; times of day are not.
  void warn_of_a_set_clock(const std::vector<ClockPair>& pairs) {
    for (std::size_t i = 1; i < pairs.size(); ++i) {
      const std::int64_t set_by_ns = (pairs[i].realtime_ns - pairs[i - 1].realtime_ns) -
                                     (pairs[i].monotonic_ns - pairs[i - 1].monotonic_ns);
      if (std::abs(set_by_ns) < kSetClockNs) continue;
      tables_.warn(
          "the machine's clock was set by {:+.1f} s during the run: times of day before and after the "
          "change cannot be compared, but durations can",
          static_cast<double>(set_by_ns) / 1e9);
    }
  }

  void read_gaps() {
    tables_.each("gap", Need::kOptional, {"table_name", "thread", "rows"}, [&](const Row& row) {
      tables_.warn(
          "thread {} dropped {} rows of {} because its spool was full or could not be created: sums across "
          "the gap are wrong",
          row.integer(1), row.integer(2), row.text(0));
    });
  }

  void read_thinned() {
    tables_.each("thinned", Need::kOptional,
                 {"first_step", "last_step", "steps", "begin_sequence", "end_sequence"}, [&](const Row& row) {
                   run_.thinned.intervals.push_back(
                       {row.integer(0), row.integer(1), row.bits(2), row.bits(3), row.bits(4)});
                 });
    std::ranges::sort(run_.thinned.intervals, {}, &ThinnedSteps::begin_sequence);
    tables_.each("thinned_step", Need::kOptional,
                 {"begin_sequence", "device_type", "device_index", "peak_allocated_bytes",
                  "peak_reserved_bytes", "peak_sequence", "peak_ns"},
                 [&](const Row& row) {
                   const Device device = TableReader::device(row, 1);
                   run_.thinned.peaks.push_back({row.bits(0), device.type, device.index, row.bits(3),
                                                 row.bits(4), row.bits(5), tables_.time_ns(row, 6)});
                 });
  }

  void choose() {
    try {
      run_.device = choose_device(run_.memory, device_);
    } catch (const std::invalid_argument& unknown) {
      throw ChoiceError(fmt::format("{}: {}", file_.path().string(), unknown.what()));
    }
  }

  void keep_one_device() {
    if (run_.memory.empty()) {
      tables_.warn(
          "contains no memory events: were the plugin allocator_tracer and a source of events loaded?");
      return;
    }
    choose();
    run_.other_memory = other_memory(run_.memory, run_.tensors, run_.device);
    keep_tensors_of_device(run_.memory, run_);
    const auto elsewhere = [&](const auto& row) { return row.device != run_.device; };
    run_.ran_out_elsewhere = ran_out_elsewhere();
    std::erase_if(run_.memory, elsewhere);
    place_allocator_settings(settings_, run_);
    if (detail_ == ReadingDetail::kAllocator) run_.allocator_events = run_.memory;
    use_whole_blocks(run_.memory);
    run_.reserved = reserved_points(run_.memory);
    run_.samples.deferred = deferred_points(run_.memory);
    std::erase_if(run_.failures, elsewhere);
    find_gaps(run_.memory, run_.allocator_settings.value_or(""), run_.failures);
    std::erase_if(run_.memory, [](const MemoryRow& row) {
      return row.action != STRATA_MEMORY_ALLOCATE && row.action != STRATA_MEMORY_FREE;
    });
    std::erase_if(run_.reports, elsewhere);
  }

  // Like ended_out_of_memory, for the other devices.
  bool ran_out_elsewhere() const {
    const auto last = std::find_if(run_.failures.rbegin(), run_.failures.rend(),
                                   [&](const FailureRow& row) { return row.device != run_.device; });
    if (last == run_.failures.rend()) return false;
    return std::ranges::none_of(run_.memory, [&](const MemoryRow& row) {
      return row.device == last->device && row.action == STRATA_MEMORY_ALLOCATE &&
             row.sequence > last->sequence;
    });
  }

  void settle_times() {
    const auto last = [&](std::int64_t ns) { run_.end_ns = std::max(run_.end_ns, ns); };
    for (const StepRow& step : run_.steps) last(step.end_ns == INT64_MAX ? step.begin_ns : step.end_ns);
    // A device may be at work still when the run ends.
    for (const ActivityRow& activity : run_.time.activities) last(activity.end_ns);
    if (!run_.memory.empty()) {
      last(run_.memory.back().ns);
      if (run_.begin_ns == 0) run_.begin_ns = run_.memory.front().ns;
    }
  }

  const StoreFile& file_;
  ReadingDetail detail_;
  const std::string& device_;
  Recording run_;
  std::vector<AllocatorSettingsSeen> settings_;
  TableReader tables_{file_, run_};
};

}  // namespace

Recording read_store(const StoreFile& file, ReadingDetail detail, const std::string& device,
                     const std::optional<std::string>& allocator_settings) {
  return StoreReader(file, detail, device, allocator_settings).read();
}

}  // namespace strata::analysis

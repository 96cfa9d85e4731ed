#include "host/analysis/store_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <unordered_map>

#include "host/analysis/caching_allocator.hpp"
#include "host/analysis/other_memory.hpp"
#include "host/analysis/run_error.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis {
namespace {

constexpr std::string_view kSchema = "strata.store/1";
// No allocation is larger (1 PiB), so that no sum of them overflows before a store is refused.
constexpr std::uint64_t kLargestAllocation = std::uint64_t{1} << 50;
// No clock runs for longer (146 years), so that no difference of times overflows.
constexpr std::int64_t kLatestNs = std::int64_t{1} << 62;

template <typename Rows>
void sort_by_sequence(Rows& rows) {
  const auto earlier = [](const auto& left, const auto& right) { return left.sequence < right.sequence; };
  if (!std::is_sorted(rows.begin(), rows.end(), earlier)) std::stable_sort(rows.begin(), rows.end(), earlier);
}

template <typename Rows>
void sort_by_begin(Rows& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) {
    return left.begin_sequence < right.begin_sequence;
  });
}

class StoreReader {
 public:
  StoreReader(const StoreFile& file, Detail detail) : file_(file), detail_(detail) {}

  Recording read() && {
    read_meta();
    read_texts();
    read_moments();
    read_steps();
    read_phases();
    read_modules();
    read_tensors();
    read_memory();
    read_failures();
    read_ops();
    read_saved();
    read_reports();
    read_gaps();
    keep_one_device();
    settle_times();
    if (unknown_texts_ > 0) warn("{} rows name a text that the store does not hold", unknown_texts_);
    return std::move(run_);
  }

 private:
  template <typename... Arguments>
  void warn(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    run_.warnings.push_back(file_.path().string() + ": " +
                            fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw RunError(fmt::format("{}: {}", file_.path().string(), what));
  }

  enum class Need { kExpected, kOptional };

  template <typename Use>
  void each(std::string_view table, Need need, std::initializer_list<std::string_view> columns, Use use) {
    if (!file_.has_table(table)) {
      if (need == Need::kExpected) warn("has no table {}, so what it would say is missing here", table);
      return;
    }
    for (Query query(file_, table, columns); query.next();) use(query.row());
  }

  std::uint32_t text(const Row& row, int column) {
    const auto found = text_of_id_.find(row.small(column));
    if (found != text_of_id_.end()) return found->second;
    if (row.small(column) != 0) ++unknown_texts_;
    return 0;
  }

  static Device device(const Row& row, int type_column) {
    return {row.small(type_column), static_cast<std::int32_t>(row.integer(type_column + 1))};
  }

  std::int64_t time_ns(const Row& row, int column) const {
    const std::int64_t ns = row.integer(column);
    if (ns < 0 || ns > kLatestNs)
      refuse(fmt::format("{} is no time of CLOCK_MONOTONIC; the store is damaged", ns));
    return ns;
  }

  void read_meta() {
    if (!file_.has_table("meta")) refuse("has no table meta, so it is not a run store");
    std::map<std::string, std::string, std::less<>> meta;
    for (Query query(file_, "meta", {"key", "value"}); query.next();) {
      meta.insert_or_assign(std::string(query.row().text(0)), std::string(query.row().text(1)));
    }
    if (meta["schema"] != kSchema) {
      refuse(
          fmt::format("is of schema '{}', and this program reads {}. Use the version of strata that wrote it",
                      meta["schema"], kSchema));
    }
    run_.name = meta["name"];
    run_.closed = meta["state"] == "closed";
    const bool open = meta["state"] == "open";
    run_.end = !meta["end"].empty() ? meta["end"] : open ? "open" : "killed";
    if (open) warn("its run is going on, or died and was not recovered: the last rows are missing");
    if (meta["state"] == "recovered") warn("recovered after the process died");
    const auto step = [&](const char* key, std::uint64_t otherwise) {
      const std::string& value = meta[key];
      std::uint64_t parsed = otherwise;
      const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), parsed);
      if (error != std::errc() || end != value.data() + value.size()) {
        warn("meta {} is '{}', which is no step", key, value);
        return otherwise;
      }
      return parsed;
    };
    if (!meta["dry"].empty()) run_.dry.emplace().profile = meta["dry"];
    run_.first_step = step("first_step", 0);
    run_.last_step = step("last_step", UINT64_MAX);
  }

  void read_texts() {
    each("string", Need::kExpected, {"id", "text"},
         [&](const Row& row) { text_of_id_.insert_or_assign(row.small(0), run_.texts.add(row.text(1))); });
  }

  void read_moments() {
    each("host_run_begin", Need::kExpected, {"monotonic_ns"},
         [&](const Row& row) { run_.begin_ns = time_ns(row, 0); });
    each("host_run_end", Need::kOptional, {"monotonic_ns"},
         [&](const Row& row) { run_.end_ns = time_ns(row, 0); });
  }

  void read_steps() {
    std::unordered_map<std::int64_t, std::size_t> open;
    each("host_step_begin", Need::kExpected, {"sequence", "monotonic_ns", "step", "schedule"},
         [&](const Row& row) {
           StepRow step;
           step.begin_sequence = row.bits(0);
           step.begin_ns = time_ns(row, 1);
           step.step = row.integer(2);
           step.schedule = row.small(3);
           if (!open.emplace(step.step, run_.steps.size()).second)
             return warn("step {} begins twice", step.step);
           run_.steps.push_back(step);
         });
    each("host_step_end", Need::kExpected, {"sequence", "monotonic_ns", "step", "loss", "tokens"},
         [&](const Row& row) {
           const auto begun = open.find(row.integer(2));
           if (begun == open.end()) return warn("step {} ends and never began", row.integer(2));
           StepRow& step = run_.steps[begun->second];
           close(step, row.bits(0), time_ns(row, 1));
           step.loss = row.real(3);
           step.tokens = row.bits(4);
         });
    sort_by_begin(run_.steps);
    const auto by_index = [](const StepRow& left, const StepRow& right) { return left.step < right.step; };
    if (!std::is_sorted(run_.steps.begin(), run_.steps.end(), by_index)) refuse("its steps are not in order");
    if (!run_.steps.empty() && run_.steps.front().step < 0) refuse("a step has a negative number");
  }

  void read_phases() {
    std::unordered_map<std::uint32_t, std::size_t> open;
    each("host_phase_begin", Need::kExpected,
         {"sequence", "monotonic_ns", "phase", "parent", "kind", "name", "step", "micro_batch"},
         [&](const Row& row) {
           PhaseRow phase;
           phase.begin_sequence = row.bits(0);
           phase.begin_ns = time_ns(row, 1);
           phase.ordinal = row.small(2);
           phase.parent = row.small(3);
           phase.kind = row.small(4);
           phase.name = text(row, 5);
           phase.step = row.integer(6);
           phase.micro_batch = row.small(7);
           if (!open.emplace(phase.ordinal, run_.phases.size()).second) {
             return warn("phase {} begins twice", phase.ordinal);
           }
           run_.phases.push_back(phase);
         });
    each("host_phase_end", Need::kExpected, {"sequence", "monotonic_ns", "phase"}, [&](const Row& row) {
      const auto begun = open.find(row.small(2));
      if (begun == open.end()) return warn("phase {} ends and never began", row.small(2));
      close(run_.phases[begun->second], row.bits(0), time_ns(row, 1));
    });
    sort_by_begin(run_.phases);
  }

  template <typename Range>
  void close(Range& range, std::uint64_t sequence, std::int64_t ns) {
    if (sequence < range.begin_sequence) refuse("a step or a phase ends before it begins");
    range.end_sequence = sequence;
    range.end_ns = std::max(ns, range.begin_ns);
  }

  void read_modules() {
    std::unordered_map<std::uint32_t, std::size_t> open;
    each("host_module_begin", Need::kOptional, {"sequence", "module", "parent", "direction", "path"},
         [&](const Row& row) {
           ModuleRow module{row.small(1), row.small(2), row.small(3), text(row, 4), row.bits(0), kNever};
           if (!open.emplace(module.ordinal, run_.modules.size()).second) {
             return warn("module range {} begins twice", module.ordinal);
           }
           if (module.path == 0) module.path = run_.texts.add("(model)");
           run_.modules.push_back(module);
         });
    each("host_module_end", Need::kOptional, {"sequence", "module"}, [&](const Row& row) {
      const auto begun = open.find(row.small(1));
      if (begun != open.end()) run_.modules[begun->second].end_sequence = row.bits(0);
    });
    sort_by_begin(run_.modules);
  }

  void read_tensors() {
    each("host_tensor", Need::kExpected,
         {"sequence", "role", "name", "device_type", "device_index", "address", "owner_address"},
         [&](const Row& row) {
           run_.tensors.push_back(
               {row.bits(0), row.small(1), text(row, 2), device(row, 3), row.bits(5), row.bits(6)});
         });
    sort_by_sequence(run_.tensors);
  }

  void read_memory() {
    each("allocator_tracer_event", Need::kExpected,
         {"sequence", "monotonic_ns", "thread", "action", "device_type", "device_index", "address", "bytes",
          "op", "phase", "module", "device_handed_out_bytes", "stream", "pool"},
         [&](const Row& row) {
           const std::uint32_t action = row.small(3);
           const std::uint64_t bytes = row.bits(7);
           if (bytes > kLargestAllocation) {
             refuse(fmt::format(
                 "allocator_tracer_event, sequence {}: {} is no size of an allocation; the store is damaged",
                 row.bits(0), row.integer(7)));
           }
           run_.memory.push_back({row.bits(0), time_ns(row, 1), row.small(2), action, device(row, 4),
                                  row.bits(6), bytes, row.bits(11), row.bits(8), row.small(9), row.small(10),
                                  row.bits(12), row.bits(13)});
         });
    sort_by_sequence(run_.memory);
    const auto same = [](const MemoryRow& left, const MemoryRow& right) {
      return left.sequence == right.sequence;
    };
    const auto repeated = std::unique(run_.memory.begin(), run_.memory.end(), same);
    if (repeated != run_.memory.end()) {
      warn("{} memory events repeat the sequence number of another and are left out",
           run_.memory.end() - repeated);
      run_.memory.erase(repeated, run_.memory.end());
    }
  }

  // What the event of the same sequence does not say.
  void read_failures() {
    std::unordered_map<std::uint64_t, std::uint64_t> free_bytes;
    each("allocator_tracer_out_of_memory", Need::kOptional, {"sequence", "device_free_bytes"},
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
    each("allocator_tracer_op", Need::kOptional,
         {"sequence", "thread", "op", "parent", "kind", "name", "autograd_sequence", "forward_thread",
          "module"},
         [&](const Row& row) {
           run_.ops.push_back({row.bits(0), row.bits(2), row.bits(3), row.integer(6), row.bits(7),
                               row.small(1), row.small(4), text(row, 5), row.small(8)});
         });
    sort_by_sequence(run_.ops);
  }

  void read_saved() {
    each("allocator_tracer_saved", Need::kOptional,
         {"sequence", "action", "module", "saved", "device_type", "device_index", "address"},
         [&](const Row& row) {
           run_.saved.push_back(
               {row.bits(0), row.small(1), row.small(2), row.bits(3), device(row, 4), row.bits(6)});
         });
    sort_by_sequence(run_.saved);
  }

  // In the order of the file, which is c10's own: several reports can follow one event.
  void read_reports() {
    run_.cross_checked = file_.has_table("torch_memory_report");
    each("torch_memory_report", Need::kOptional,
         {"sequence", "thread", "device_type", "device_index", "address", "bytes", "allocated_bytes"},
         [&](const Row& row) {
           run_.reports.push_back(
               {row.bits(0), row.small(1), device(row, 2), row.bits(4), row.integer(5), row.bits(6)});
         });
  }

  void read_gaps() {
    each("gap", Need::kOptional, {"table_name", "thread", "rows"}, [&](const Row& row) {
      warn(
          "thread {} dropped {} rows of {} because its spool was full or could not be made: sums across the "
          "gap do not hold",
          row.integer(1), row.integer(2), row.text(0));
    });
  }

  // The first CUDA device that allocated, or else the CPU.
  void keep_one_device() {
    std::map<Device, std::size_t> events;
    for (const MemoryRow& row : run_.memory) ++events[row.device];
    if (events.empty()) {
      warn("holds no memory event: was the plugin allocator_tracer loaded, and a source of events?");
      return;
    }
    const auto cuda = events.lower_bound({STRATA_DEVICE_CUDA, INT32_MIN});
    run_.device =
        cuda != events.end() && cuda->first.type == STRATA_DEVICE_CUDA ? cuda->first : events.begin()->first;
    run_.other_memory = other_memory(run_.memory, run_.device);
    const auto elsewhere = [&](const auto& row) { return row.device != run_.device; };
    std::erase_if(run_.memory, elsewhere);
    if (detail_ == Detail::kAllocator) run_.allocator_events = run_.memory;
    use_whole_blocks(run_.memory);
    run_.reserved = reserved_points(run_.memory);
    std::erase_if(run_.failures, elsewhere);
    find_largest_gaps(run_.memory, run_.failures);
    std::erase_if(run_.memory, [](const MemoryRow& row) {
      return row.action != STRATA_MEMORY_ALLOCATE && row.action != STRATA_MEMORY_FREE;
    });
    std::erase_if(run_.tensors, elsewhere);
    std::erase_if(run_.saved, elsewhere);
    std::erase_if(run_.reports, elsewhere);
  }

  void settle_times() {
    const auto last = [&](std::int64_t ns) { run_.end_ns = std::max(run_.end_ns, ns); };
    for (const StepRow& step : run_.steps) last(step.end_ns == INT64_MAX ? step.begin_ns : step.end_ns);
    if (!run_.memory.empty()) {
      last(run_.memory.back().ns);
      if (run_.begin_ns == 0) run_.begin_ns = run_.memory.front().ns;
    }
  }

  const StoreFile& file_;
  Detail detail_;
  Recording run_;
  std::unordered_map<std::uint32_t, std::uint32_t> text_of_id_;
  std::size_t unknown_texts_ = 0;
};

}  // namespace

Recording read_store(const StoreFile& file, Detail detail) {
  return StoreReader(file, detail).read();
}

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
#include "host/export/trace/chrome.hpp"

#include <string>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/time/kernel_names.hpp"
#include "host/export/text.hpp"
#include "host/export/trace/thread_slices.hpp"
#include "strata/ext/activity.h"
#include "strata/ext/module.h"
#include "strata/ext/op.h"

namespace strata::exports {
namespace {

using analysis::ActivityRow;
using analysis::Facts;
using analysis::kNoRow;
using analysis::OpSpan;
using analysis::TimeFacts;

// A second row of a stream is a track of its own; no stream has such a number.
constexpr std::uint64_t kRowStride = 1'000'000;

class TimeTrace {
 public:
  TimeTrace(const Facts& facts, std::uint64_t process, TraceEvents& events, RowCount& rows)
      : facts_(facts), time_(*facts.time), process_(process), events_(events), rows_(rows) {}

  void write() {
    write_threads();
    write_streams();
    write_backward_flows();
  }

 private:
  TraceTrack track_of(std::uint32_t thread) const { return {process_, thread}; }
  std::string activity_text(const ActivityRow& activity) const {
    return json_text(analysis::activity_name(activity, facts_.texts[activity.name]));
  }

  void write_threads() {
    const auto threads = thread_slices(facts_);
    const std::uint32_t driver = driver_thread(facts_);
    for (const auto& [thread, slices] : threads) {
      events_.name_thread(
          track_of(thread),
          fmt::format("thread {} ({})", thread, thread == driver ? "training" : "autograd or other"),
          thread == driver ? -1 : static_cast<std::int64_t>(thread));
      for (const ThreadSlice& slice : slices) {
        rows_.add();
        write_slice(track_of(thread), slice);
      }
    }
  }

  // Opens a complete event with its category; the caller adds its arguments and two braces.
  void begin_slice(TraceTrack track, const ThreadSlice& slice, std::string_view category,
                   std::string_view name) {
    events_.begin("X", track, slice.begin_ns, name);
    events_.add_length(slice.begin_ns, slice.end_ns);
    events_.out().format(R"(,"cat":"{}","args":{{)", category);
  }

  void write_slice(TraceTrack track, const ThreadSlice& slice) {
    switch (slice.kind) {
      case ThreadSlice::Kind::kStep:
        begin_slice(track, slice, "user_annotation",
                    fmt::format(R"("ProfilerStep#{}")", facts_.steps[slice.index].index));
        return events_.out().append("}}");
      case ThreadSlice::Kind::kPhase:
        begin_slice(track, slice, "user_annotation", json_text(facts_.phases[slice.index].name));
        return events_.out().append(R"("level":"phase"}})");
      case ThreadSlice::Kind::kModule:
        return write_module(track, slice);
      case ThreadSlice::Kind::kOp:
        return write_op(track, slice);
      case ThreadSlice::Kind::kCall:
        return write_call(track, slice);
    }
  }

  void write_module(TraceTrack track, const ThreadSlice& slice) {
    const analysis::ModuleSpan& module = time_.modules[slice.index];
    begin_slice(track, slice, "user_annotation", json_text(facts_.texts[module.path]));
    const char* const direction = module.direction == STRATA_MODULE_BACKWARD    ? "backward"
                                  : module.direction == STRATA_MODULE_RECOMPUTE ? "recompute"
                                                                                : "forward";
    events_.out().format(R"("level":"module","direction":"{}"}}}})", direction);
  }

  void write_op(TraceTrack track, const ThreadSlice& slice) {
    const OpSpan& op = time_.spans[slice.index];
    begin_slice(track, slice, op.kind == STRATA_OP_USER ? "user_annotation" : "cpu_op",
                json_text(facts_.texts[op.name]));
    events_.out().format(R"("External id":{},"Ev Idx":{})", op.ordinal, slice.index);
    if (op.layer != 0) events_.out().format(R"(,"module":{})", json_text(facts_.texts[op.layer]));
    if (op.phase != kNoRow) events_.out().format(R"(,"phase":{})", json_text(facts_.phases[op.phase].name));
    events_.out().append("}}");
  }

  const char* category_of_call(const ActivityRow& call) const {
    switch (call.kind) {
      case STRATA_ACTIVITY_OVERHEAD:
        return "overhead";
      case STRATA_ACTIVITY_SYNCHRONIZE:
        return "cuda_sync";
      case STRATA_ACTIVITY_JIT:
        return "overhead";
      default:
        return (call.detail & STRATA_API_DRIVER) != 0 ? "cuda_driver" : "cuda_runtime";
    }
  }

  void write_call(TraceTrack track, const ThreadSlice& slice) {
    const ActivityRow& call = time_.activities[slice.index];
    begin_slice(track, slice, category_of_call(call), activity_text(call));
    if (call.kind == STRATA_ACTIVITY_API) {
      events_.out().format(R"("correlation":{})", call.correlation);
      write_external_id(slice.index);
    }
    events_.out().append("}}");
  }

  void write_external_id(std::uint32_t activity) {
    const std::uint32_t op = time_.places[activity].op;
    if (op != kNoRow) events_.out().format(R"(,"External id":{})", time_.spans[op].ordinal);
  }

  void write_streams() {
    std::uint32_t named = kNoRow;
    for (const StreamRow& row : stream_rows(time_)) {
      const TraceTrack track{row.device, row.stream + row.row * kRowStride};
      if (named != row.device) {
        named = row.device;
        const bool modelled = time_.modelled;
        events_.name_process(
            row.device,
            fmt::format("device {}{}", row.device, modelled ? ", modelled: nothing was measured" : ""),
            fmt::format("GPU {}", row.device), 5'000'000 + static_cast<int>(row.device));
      }
      events_.name_thread(track, fmt::format("stream {}{}", row.stream, row.row == 0 ? " " : ", overlapping"),
                          static_cast<std::int64_t>(track.thread));
      for (const std::uint32_t activity : row.activities) {
        rows_.add();
        write_device_work(track, activity);
      }
    }
  }

  static const char* category_of(const ActivityRow& activity) {
    return activity.kind == STRATA_ACTIVITY_COPY  ? "gpu_memcpy"
           : activity.kind == STRATA_ACTIVITY_SET ? "gpu_memset"
                                                  : "kernel";
  }

  void write_device_work(TraceTrack track, std::uint32_t index) {
    const ActivityRow& activity = time_.activities[index];
    const std::string name = activity_text(activity);
    events_.begin("X", track, activity.begin_ns, name);
    events_.add_length(activity.begin_ns, activity.end_ns);
    events_.out().format(R"(,"cat":"{}","args":{{"device":{},"stream":{},"correlation":{})",
                         category_of(activity), activity.device, activity.stream, activity.correlation);
    write_external_id(index);
    write_size(activity);
    write_launch(activity);
    if (activity.graph != 0) events_.out().format(R"(,"graph id":{})", activity.graph);
    if (activity.modelled) events_.out().append(R"(,"modelled":true)");
    events_.out().append("}}");
    write_launch_flow(track, index);
  }

  void write_size(const ActivityRow& activity) {
    if (activity.kind != STRATA_ACTIVITY_COPY && activity.kind != STRATA_ACTIVITY_SET) return;
    events_.out().format(R"(,"bytes":{})", activity.bytes);
    if (activity.end_ns > activity.begin_ns) {
      events_.out().format(
          R"x(,"memory bandwidth (GB/s)":{})x",
          static_cast<double>(activity.bytes) / static_cast<double>(activity.end_ns - activity.begin_ns));
    }
  }

  void write_launch(const ActivityRow& activity) {
    if (activity.launch == 0) return;
    const analysis::KernelLaunch& launch = time_.kernel_launches[activity.launch - 1];
    events_.out().format(
        R"(,"grid":[{},{},{}],"block":[{},{},{}],"registers per thread":{},"shared memory":{})",
        launch.grid[0], launch.grid[1], launch.grid[2], launch.block[0], launch.block[1], launch.block[2],
        launch.registers, std::uint64_t{launch.static_shared_bytes} + launch.dynamic_shared_bytes);
  }

  // From the call to the work that it requested.
  void write_launch_flow(TraceTrack track, std::uint32_t index) {
    const std::uint32_t call = time_.places[index].call;
    if (call == kNoRow || time_.activities[call].thread == 0) return;
    const ActivityRow& from = time_.activities[call];
    write_flow("ac2g", from.correlation, track_of(from.thread), from.begin_ns, track,
               time_.activities[index].begin_ns);
  }

  void write_backward_flows() {
    for (std::uint32_t index = 0; index < time_.spans.size(); ++index) {
      const OpSpan& node = time_.spans[index];
      if (node.forward == kNoRow) continue;
      const OpSpan& forward = time_.spans[node.forward];
      write_flow("fwdbwd", index, track_of(forward.thread), forward.begin_ns, track_of(node.thread),
                 node.begin_ns);
    }
  }

  void write_flow(std::string_view name, std::uint64_t id, TraceTrack from, std::int64_t from_ns,
                  TraceTrack to, std::int64_t to_ns) {
    const std::string text = json_text(name);
    events_.begin("s", from, from_ns, text);
    events_.out().format(R"(,"cat":"{}","id":{}}})", name, events_.id(id));
    events_.begin("f", to, to_ns, text);
    events_.out().format(R"(,"cat":"{}","id":{},"bp":"e"}})", name, events_.id(id));
  }

  const Facts& facts_;
  const TimeFacts& time_;
  std::uint64_t process_;
  TraceEvents& events_;
  RowCount& rows_;
};

}  // namespace

void write_times(const Facts& facts, std::uint64_t process, TraceEvents& events, RowCount& rows) {
  if (facts.time) TimeTrace(facts, process, events, rows).write();
}

}  // namespace strata::exports

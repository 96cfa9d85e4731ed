// SPDX-License-Identifier: Apache-2.0
#include "host/export/trace/chrome.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/export/text.hpp"
#include "host/export/timeline_rows.hpp"
#include "host/export/trace/slices.hpp"
#include "host/export/trace/trace_events.hpp"
#include "host/report/words/reasons.hpp"

namespace strata::exports {
namespace {

using analysis::Block;
using analysis::Facts;

constexpr std::size_t kLargestAllocations = 1000;

// Memory's tracks are those of a process that no operating system has: numbers below are processes and
// devices.
constexpr std::uint64_t kMemoryProcess = 4'194'305;

enum Track { kCounters, kSteps, kMicroBatches, kPhases, kAllocations, kPeakBlocks };
constexpr std::array<const char*, 6> kTrackNames = {
    "memory", "steps", "micro-batches", "phases", "largest allocations", "largest blocks at the peak"};

std::uint64_t row_count(const Facts& facts) {
  return facts.points.size() + (facts.time ? facts.time->spans.size() + facts.time->activities.size() : 0);
}

class Trace {
 public:
  Trace(const Facts& facts, Output& output, const Progress& progress)
      : facts_(facts), rows_(progress, row_count(facts)), out_(output), events_(facts, out_) {}

  // For a trace of several ranks: `before` is true unless it is the first.
  Trace(const Facts& facts, Output& output, const Progress& progress, const RankInTrace& rank, bool before)
      : facts_(facts),
        rows_(progress, row_count(facts)),
        out_(output),
        events_(facts, out_, &rank, !before) {}

  void write() {
    out_.format(
        R"({{"schemaVersion":1,"deviceProperties":[],"distributedInfo":{{"rank": {},"world_size":{}}},)"
        R"("displayTimeUnit":"ns","baseTimeNanoseconds":{},)"
        R"("otherData":{{"run":{},"directory":{},"device":{},"measured":{}}},)",
        facts_.rank, facts_.world_size, facts_.begin_ns + facts_.realtime_less_monotonic_ns,
        json_text(facts_.name), json_text(facts_.directory), json_text(facts_.device),
        !facts_.dry.has_value());
    out_.append("\n\"traceEvents\":[\n");
    write_events();
    out_.append("\n]}\n");
    out_.flush();
  }

  // A part of a trace's list.
  void write_part() {
    write_events();
    out_.flush();
  }

 private:
  void write_events() {
    write_names();
    write_steps();
    write_micro_batches();
    write_phases();
    write_peak_blocks();
    write_largest_allocations();
    write_counters();
    write_samples();
    write_times(facts_, host_process(), events_, rows_);
  }

  void begin_event(std::string_view phase, Track track, std::int64_t ns, std::string_view name) {
    events_.begin(phase, {kMemoryProcess, static_cast<std::uint64_t>(track)}, ns, name);
  }

  void end_slice(const Slice& slice) { events_.add_length(slice.begin_ns, slice.end_ns); }

  void write_names() {
    const std::string name = fmt::format("{} on {}{}", facts_.name, facts_.device,
                                         facts_.dry ? ", a dry " + facts_.dry->profile : "");
    events_.name_process(kMemoryProcess, facts_.time ? name + ": memory" : name, "", 1);
    for (int track = kCounters; track <= kPeakBlocks; ++track)
      events_.name_thread({kMemoryProcess, static_cast<std::uint64_t>(track)},
                          kTrackNames[static_cast<std::size_t>(track)], track);
    if (facts_.time) events_.name_process(host_process(), name, "CPU", 0);
  }

  // A store without the pid of its process still needs one.
  std::uint64_t host_process() const { return facts_.pid != 0 ? facts_.pid : kMemoryProcess + 1; }

  void write_steps() {
    for (const Slice& slice : step_slices(facts_)) {
      const analysis::StepFact& step = facts_.steps[slice.index];
      begin_event("X", kSteps, slice.begin_ns, fmt::format(R"("step {}")", step.index));
      end_slice(slice);
      out_.format(
          R"(,"cat":"step","args":{{"complete":{},"loss":{},"tokens":{},"peak_allocated_bytes":{},"peak_reserved_bytes":{}}}}})",
          step.complete, json_number(step.loss), step.tokens, step.peak_allocated_bytes,
          step.peak_reserved_bytes);
    }
  }

  void write_micro_batches() {
    for (const Slice& slice : micro_batch_slices(facts_)) {
      const analysis::PhaseFact& phase = facts_.phases[slice.index];
      begin_event("X", kMicroBatches, slice.begin_ns, fmt::format(R"("micro-batch {}")", phase.micro_batch));
      end_slice(slice);
      out_.format(R"(,"cat":"micro-batch","args":{{"step":{}}}}})", phase.step);
    }
  }

  void write_phases() {
    for (const Slice& slice : phase_slices(facts_)) {
      const analysis::PhaseFact& phase = facts_.phases[slice.index];
      begin_event("X", kPhases, slice.begin_ns, json_text(phase.name));
      end_slice(slice);
      out_.append(R"(,"cat":"phase")");
      if (phase.step >= 0)
        out_.format(R"(,"args":{{"step":{},"micro_batch":{}}})", phase.step, phase.micro_batch);
      out_.append("}");
    }
  }

  std::string block_name(const Block& block) const {
    const std::uint32_t text = block.name != 0 ? block.name : block.op;
    return json_text(text != 0 ? std::string_view(facts_.texts[text]) : to_string(block.kind));
  }

  void write_block_args(const Block& block) {
    out_.format(R"(,"cat":"block","args":{{"bytes":{},"category":"{}","kind":{},"why":{})", block.bytes,
                to_string(block.category), json_text(to_string(block.kind)),
                json_text(report::reason_text(block.reason)));
    const auto text = [&](const char* key, std::uint32_t index) {
      if (index != 0) out_.format(R"(,"{}":{})", key, json_text(facts_.texts[index]));
    };
    text("owner", block.name);
    text("op", block.op);
    text("module", block.layer);
    text("kept_by", block.saver);
    out_.append("}");
  }

  void write_peak_blocks() {
    for (const std::uint32_t index : facts_.peak.largest_blocks) {
      const Block& block = facts_.blocks[index];
      const std::string name = block_name(block);
      begin_event("b", kPeakBlocks, block.birth_ns, name);
      out_.format(R"(,"id":{})", events_.id(index));
      write_block_args(block);
      out_.append("}");
      begin_event("e", kPeakBlocks, block.death_ns, name);
      out_.format(R"(,"id":{},"cat":"block"}})", events_.id(index));
    }
  }

  // By birth.
  std::vector<std::uint32_t> largest_allocations() const {
    const auto larger = [&](std::uint32_t left, std::uint32_t right) {
      return facts_.blocks[left].bytes > facts_.blocks[right].bytes;
    };
    std::vector<std::uint32_t> heap;  // its front is the smallest
    for (std::uint32_t index = 0; index < facts_.blocks.size(); ++index) {
      if (heap.size() == kLargestAllocations) {
        if (!larger(index, heap.front())) continue;
        std::ranges::pop_heap(heap, larger);
        heap.pop_back();
      }
      heap.push_back(index);
      std::ranges::push_heap(heap, larger);
    }
    std::ranges::sort(heap);
    return heap;
  }

  void write_largest_allocations() {
    for (const std::uint32_t index : largest_allocations()) {
      const Block& block = facts_.blocks[index];
      begin_event("i", kAllocations, block.birth_ns, block_name(block));
      out_.append(R"(,"s":"t")");
      write_block_args(block);
      out_.append("}");
    }
  }

  // Writes only what changed.
  void write_counter(std::size_t counter, std::string_view name, std::int64_t ns, std::uint64_t bytes) {
    if (counters_.at(counter) == bytes) return;
    counters_.at(counter) = bytes;
    begin_event("C", kCounters, ns, name);
    out_.format(R"(,"args":{{"bytes":{}}}}})", bytes);
  }

  void write_counters() {
    std::array<std::string, analysis::kCategories> names;
    for (std::size_t category = 0; category < names.size(); ++category)
      names[category] = json_text(to_string(static_cast<analysis::Category>(category)));
    const auto write_all = [&](const TimelineRow& row) {
      for (std::size_t category = 0; category < names.size(); ++category)
        write_counter(category, names[category], row.point.ns, row.point.bytes[category]);
      write_counter(analysis::kCategories, R"("Allocated")", row.point.ns, row.allocated_bytes);
      if (!facts_.reserved.empty())
        write_counter(analysis::kCategories + 1, R"("Reserved")", row.point.ns, row.reserved_bytes);
    };
    analysis::Point nothing;
    nothing.ns = facts_.begin_ns;
    write_all({nothing, -1, 0, 0});
    for_each_row(facts_, [&](const TimelineRow& row) {
      rows_.add();
      write_all(row);
    });
  }

  void write_samples() {
    const auto write = [&](std::string_view name, std::int64_t ns, std::int64_t bytes) {
      begin_event("C", kCounters, ns, name);
      out_.format(R"(,"args":{{"bytes":{}}}}})", bytes);
    };
    for (const analysis::DeviceSample& sample : facts_.samples.device) {
      write(R"("Device used")", sample.ns, static_cast<std::int64_t>(sample.used_bytes));
      write(R"("Outside the allocator")", sample.ns, sample.outside_bytes());
    }
    for (const analysis::ResidentSample& sample : facts_.samples.resident)
      write(R"("Resident")", sample.ns, static_cast<std::int64_t>(sample.bytes));
  }

  const Facts& facts_;
  RowCount rows_;
  Buffer out_;
  TraceEvents events_;
  std::array<std::optional<std::uint64_t>, analysis::kCategories + 2> counters_;
};

}  // namespace

void write_chrome(const Facts& facts, Output& output, const Progress& progress) {
  Trace(facts, output, progress).write();
}

void write_chrome_rank(const Facts& facts, const RankInTrace& rank, bool is_first, Output& output,
                       const Progress& progress) {
  Trace(facts, output, progress, rank, !is_first).write_part();
}

}  // namespace strata::exports

#include "host/export/chrome.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "host/export/slices.hpp"
#include "host/export/text.hpp"
#include "host/export/timeline_rows.hpp"

namespace strata::exports {
namespace {

using analysis::Block;
using analysis::Facts;

constexpr std::size_t kLargestAllocations = 1000;

// Tracks of the one process that the trace tells of.
enum Track { kCounters, kSteps, kMicroBatches, kPhases, kAllocations, kPeakBlocks };
constexpr std::array<const char*, 6> kTrackNames = {
    "memory", "steps", "micro-batches", "phases", "largest allocations", "largest blocks at the peak"};

class Trace {
 public:
  Trace(const Facts& facts, Output& output, const Progress& progress)
      : facts_(facts), rows_(progress, facts.points.size()), out_(output) {}

  void write() {
    out_.format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"run\":{},\"directory\":{},\"device\":{},\"measured\":"
        "{}}},\n"
        "\"traceEvents\":[\n",
        json_text(facts_.name), json_text(facts_.directory), json_text(facts_.device),
        !facts_.dry.has_value());
    write_names();
    write_steps();
    write_micro_batches();
    write_phases();
    write_peak_blocks();
    write_largest_allocations();
    write_counters();
    out_.append("\n]}\n");
    out_.flush();
  }

 private:
  std::int64_t within(std::int64_t ns) const {
    return std::clamp(ns, facts_.begin_ns, std::max(facts_.begin_ns, facts_.end_ns)) - facts_.begin_ns;
  }

  // Begins an event; `name` is JSON. The caller adds what is its own, and the brace.
  void begin_event(std::string_view phase, Track track, std::int64_t ns, std::string_view name) {
    out_.append(is_first_ ? "" : ",\n");
    is_first_ = false;
    const std::int64_t since = within(ns);
    out_.format(R"({{"ph":"{}","pid":1,"tid":{},"ts":{}.{:03},"name":{})", phase, static_cast<int>(track),
                since / 1000, since % 1000, name);
  }

  void end_slice(const Slice& slice) {
    const std::int64_t duration = within(slice.end_ns) - within(slice.begin_ns);
    out_.format(R"(,"dur":{}.{:03})", duration / 1000, duration % 1000);
  }

  void write_names() {
    begin_event("M", kCounters, facts_.begin_ns, R"("process_name")");
    out_.format(R"(,"args":{{"name":{}}}}})",
                json_text(fmt::format("{} on {}{}", facts_.name, facts_.device,
                                      facts_.dry ? ", a dry " + facts_.dry->profile : "")));
    for (int track = kCounters; track <= kPeakBlocks; ++track) {
      const auto name = json_text(kTrackNames[static_cast<std::size_t>(track)]);
      begin_event("M", static_cast<Track>(track), facts_.begin_ns, R"("thread_name")");
      out_.format(R"(,"args":{{"name":{}}}}})", name);
      begin_event("M", static_cast<Track>(track), facts_.begin_ns, R"("thread_sort_index")");
      out_.format(R"(,"args":{{"sort_index":{}}}}})", track);
    }
  }

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
    return json_text(text != 0 ? std::string_view(facts_.texts[text]) : block.kind);
  }

  void write_block_args(const Block& block) {
    out_.format(R"(,"cat":"block","args":{{"bytes":{},"category":"{}","kind":{},"why":{})", block.bytes,
                to_string(block.category), json_text(block.kind), json_text(block.reason));
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
      out_.format(R"(,"id":{})", index);
      write_block_args(block);
      out_.append("}");
      begin_event("e", kPeakBlocks, block.death_ns, name);
      out_.format(R"(,"id":{},"cat":"block"}})", index);
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

  const Facts& facts_;
  RowCount rows_;
  Buffer out_;
  bool is_first_ = true;
  std::array<std::optional<std::uint64_t>, analysis::kCategories + 2> counters_;
};

}  // namespace

void write_chrome(const Facts& facts, Output& output, const Progress& progress) {
  Trace(facts, output, progress).write();
}

}  // namespace strata::exports

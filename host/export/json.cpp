// SPDX-License-Identifier: Apache-2.0
#include "host/export/json.hpp"

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/analysis/facts/facts.hpp"
#include "host/analysis/stacks/stack_view.hpp"
#include "host/export/json_overview.hpp"
#include "host/export/text.hpp"
#include "host/export/timeline_rows.hpp"
#include "host/report/words/reasons.hpp"

namespace strata::exports {
namespace {

using analysis::Block;
using analysis::Facts;

struct Column {
  std::string_view name, unit;
};

constexpr std::string_view kSequence = "sequence", kBytes = "bytes", kNs = "ns", kText = "index into texts";

class Document {
 public:
  Document(const Facts& facts, Output& output, const Progress& progress)
      : facts_(facts), rows_(progress, facts.blocks.size() + facts.points.size()), out_(output) {}

  void write() {
    write_overview();
    write_texts();
    write_steps();
    write_phases();
    write_blocks();
    write_timeline();
    write_reserved();
    write_samples();
    write_stacks();
    out_.append("\n}\n");
    out_.flush();
  }

 private:
  void write_overview() {
    std::string text = overview(facts_).dump(1, ' ', false, nlohmann::json::error_handler_t::replace);
    text.resize(text.rfind('\n'));  // without its closing brace
    out_.append(text);
  }

  void write_texts() {
    out_.append(",\n \"texts\": [");
    for (std::size_t text = 0; text < facts_.texts.size(); ++text)
      out_.format("{}\n{}", text == 0 ? "" : ",", json_text(facts_.texts[text]));
    out_.append("\n ]");
  }

  void begin_table(std::string_view name, std::initializer_list<Column> columns) {
    out_.format(",\n \"{}\": {{\n  \"columns\": [", name);
    for (const Column& column : columns)
      out_.format(R"({}{{"name": "{}", "unit": "{}"}})", &column == columns.begin() ? "" : ", ", column.name,
                  column.unit);
    out_.append("],\n  \"rows\": [");
    is_first_row_ = true;
  }

  void begin_row() {
    out_.append(is_first_row_ ? "\n[" : ",\n[");
    is_first_row_ = false;
  }

  void end_table() { out_.append("\n  ]\n }"); }

  std::int64_t since_begin(std::int64_t ns) const { return ns - facts_.begin_ns; }

  void write_end(std::uint64_t sequence, std::int64_t ns) {
    if (sequence == UINT64_MAX)
      out_.append(",null,null");
    else
      out_.format(",{},{}", sequence, since_begin(ns));
  }

  void write_interval(const auto& interval) {
    out_.format(",{},{}", interval.begin_sequence, since_begin(interval.begin_ns));
    write_end(interval.end_sequence, interval.end_ns);
  }

  void write_steps() {
    begin_table("steps", {{"step", "count from 0"},
                          {"schedule", "0 wait, 1 warm-up, 2 active"},
                          {"complete", "came to its own end"},
                          {"loss", ""},
                          {"tokens", "count"},
                          {"peak_allocated", kBytes},
                          {"peak_reserved", kBytes},
                          {"begin_sequence", kSequence},
                          {"begin", kNs},
                          {"end_sequence", kSequence},
                          {"end", kNs}});
    for (const analysis::StepFact& step : facts_.steps) {
      begin_row();
      out_.format("{},{},{},{},{},{},{}", step.index, step.schedule, step.complete, json_number(step.loss),
                  step.tokens, step.peak_allocated_bytes, step.peak_reserved_bytes);
      write_interval(step);
      out_.append("]");
    }
    end_table();
  }

  void write_phases() {
    begin_table("phases", {{"name", ""},
                           {"kind", "STRATA_PHASE_*"},
                           {"step", "count from 0, -1 outside"},
                           {"micro_batch", "count from 0"},
                           {"depth", "phases around it"},
                           {"begin_sequence", kSequence},
                           {"begin", kNs},
                           {"end_sequence", kSequence},
                           {"end", kNs}});
    for (const analysis::PhaseFact& phase : facts_.phases) {
      begin_row();
      out_.format("{},{},{},{},{}", json_text(phase.name), phase.kind, phase.step, phase.micro_batch,
                  phase.depth);
      write_interval(phase);
      out_.append("]");
    }
    end_table();
  }

  void write_blocks() {
    begin_table("blocks", {{"address", "hexadecimal"},
                           {"size", kBytes},
                           {"category", "index into categories"},
                           {"kind", ""},
                           {"reason", ""},
                           {"owner", kText},
                           {"op", kText},
                           {"module", kText},
                           {"kept_by", kText},
                           {"phase", "index into phases' rows, null outside"},
                           {"birth_sequence", kSequence},
                           {"birth", kNs},
                           {"death_sequence", kSequence},
                           {"death", kNs},
                           {"dtype", kText},
                           {"shape", kText}});
    for (const Block& block : facts_.blocks) {
      rows_.add();
      begin_row();
      out_.format(R"("{:#x}",{},{},{},{},{},{},{},{},)", block.address, block.bytes,
                  static_cast<int>(block.category), quoted(to_string(block.kind)),
                  quoted(report::reason_text(block.reason)), block.name, block.op, block.layer, block.saver);
      if (block.phase == 0)
        out_.append("null");
      else
        out_.format("{}", block.phase - 1);
      out_.format(",{},{}", block.birth_sequence, since_begin(block.birth_ns));
      write_end(block.death_sequence, block.death_ns);
      const analysis::TensorForm& form = facts_.forms.at(block.form);
      out_.format(",{},{}]", form.dtype, form.shape);
    }
    end_table();
  }

  // Kinds and reasons are few.
  const std::string& quoted(std::string_view text) {
    const auto [found, is_new] = quoted_.try_emplace(text);
    if (is_new) found->second = json_text(text);
    return found->second;
  }

  void write_timeline() {
    begin_table("timeline", {{"sequence", kSequence},
                             {"time", kNs},
                             {"step", "count from 0, -1 between steps"},
                             {"Parameter", kBytes},
                             {"Optimizer_State", kBytes},
                             {"Input", kBytes},
                             {"Temporary", kBytes},
                             {"Activation", kBytes},
                             {"Gradient", kBytes},
                             {"Autograd_Detail", kBytes},
                             {"Unknown", kBytes},
                             {"Allocated", kBytes},
                             {"Reserved", kBytes}});
    for_each_row(facts_, [&](const TimelineRow& row) {
      rows_.add();
      begin_row();
      out_.format("{},{},{}", row.point.sequence, since_begin(row.point.ns), row.step);
      for (const std::uint64_t bytes : row.point.bytes) out_.format(",{}", bytes);
      out_.format(",{},{}]", row.allocated_bytes, row.reserved_bytes);
    });
    end_table();
  }

  void write_reserved() {
    begin_table("segments", {{"sequence", kSequence},
                             {"time", kNs},
                             {"address", "hexadecimal"},
                             {"change", "bytes; negative: given back to the device"},
                             {"reserved", kBytes}});
    for (const analysis::ReservedPoint& point : facts_.reserved) {
      begin_row();
      out_.format(R"({},{},"{:#x}",{},{}])", point.sequence, since_begin(point.ns), point.segment_address,
                  point.change_bytes, point.bytes);
    }
    end_table();
  }

  void write_samples() {
    begin_table("device_samples", {{"sequence", kSequence},
                                   {"time", kNs},
                                   {"used", "bytes of the whole device, by all processes"},
                                   {"reserved", kBytes},
                                   {"outside", "bytes; the difference"}});
    for (const analysis::DeviceSample& sample : facts_.samples.device) {
      begin_row();
      out_.format("{},{},{},{},{}]", sample.sequence, since_begin(sample.ns), sample.used_bytes,
                  sample.reserved_bytes, sample.outside_bytes());
    }
    end_table();
    begin_table("process_samples",
                {{"sequence", kSequence}, {"time", kNs}, {"resident", "bytes of the process"}});
    for (const analysis::ResidentSample& sample : facts_.samples.resident) {
      begin_row();
      out_.format("{},{},{}]", sample.sequence, since_begin(sample.ns), sample.bytes);
    }
    end_table();
  }

  // A block's stack is that of its birth_sequence, a failure's that of its sequence.
  void write_stacks() {
    if (facts_.call_stacks.empty()) return;
    begin_table("event_stacks",
                {{"sequence", kSequence}, {"stack", "count from 0"}, {"chance", "that it had to be taken"}});
    for (const analysis::TakenStack& taken : facts_.call_stacks.taken) {
      begin_row();
      out_.format("{},{},{}]", taken.sequence, taken.stack, json_number(taken.chance));
    }
    end_table();
    begin_table("stack_frames", {{"stack", "count from 0"},
                                 {"position", "0 is the innermost"},
                                 {"function", ""},
                                 {"file", ""},
                                 {"line", "0: unknown"},
                                 {"library", ""},
                                 {"offset", "hexadecimal"},
                                 {"inlined", "into the next position"}});
    analysis::StackView view(facts_.call_stacks);
    for (std::uint32_t stack = 0; stack < facts_.call_stacks.addresses.size(); ++stack) {
      std::size_t position = 0;
      for (const analysis::Frame& frame : view.whole(stack)) {
        begin_row();
        out_.format(R"({},{},{},{},{},{},"{:#x}",{}])", stack, position++, json_text(frame.function),
                    json_text(frame.file), frame.line, json_text(frame.library), frame.offset, frame.inlined);
      }
    }
    end_table();
  }

  const Facts& facts_;
  RowCount rows_;
  Buffer out_;
  bool is_first_row_ = true;
  std::unordered_map<std::string_view, std::string> quoted_;
};

}  // namespace

void write_json(const Facts& facts, Output& output, const Progress& progress) {
  Document(facts, output, progress).write();
}

}  // namespace strata::exports

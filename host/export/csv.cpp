// SPDX-License-Identifier: Apache-2.0
#include "host/export/csv.hpp"

#include <string>
#include <string_view>
#include <unordered_map>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/export/text.hpp"
#include "host/export/timeline_rows.hpp"
#include "host/report/words/reasons.hpp"

namespace strata::exports {
namespace {

using analysis::Block;
using analysis::CategoryStatistics;
using analysis::MemoryFacts;
using analysis::PhaseFact;

const char* name_of(std::size_t category) {
  return to_string(static_cast<analysis::Category>(category));
}

void write_categories(const MemoryFacts& facts, Buffer& out) {
  out.append("bytes");
  for (std::size_t category = 0; category < analysis::kCategories; ++category)
    out.format(",{}", name_of(category));
  out.append(",Allocated\n");
  const auto row = [&](std::string_view label, const auto& value_of) {
    out.append(label);
    for (const CategoryStatistics& statistics : facts.statistics) out.format(",{}", value_of(statistics));
    out.format(",{}\n", value_of(facts.total));
  };
  const auto rounded = [](double bytes) { return fmt::format("{:.1f}", bytes); };
  row("mean", [&](const CategoryStatistics& s) { return rounded(s.mean_over_events); });
  row("min", [](const CategoryStatistics& s) { return s.min; });
  row("median", [](const CategoryStatistics& s) { return s.median; });
  row("max", [](const CategoryStatistics& s) { return s.max; });
  row("mean_over_time", [&](const CategoryStatistics& s) { return rounded(s.mean_over_time); });
  out.append("at_peak");
  for (const std::uint64_t bytes : facts.peak.categories) out.format(",{}", bytes);
  out.format(",{}\n", facts.peak.allocated_bytes);
}

void write_timeline(const MemoryFacts& facts, Buffer& out, const Progress& progress) {
  RowCount rows(progress, facts.points.size());
  out.append("sequence,time_ns,step");
  for (std::size_t category = 0; category < analysis::kCategories; ++category)
    out.format(",{}", name_of(category));
  out.append(",Allocated,Reserved\n");
  for_each_row(facts, [&](const TimelineRow& row) {
    rows.add();
    out.format("{},{},", row.point.sequence, row.point.ns - facts.begin_ns);
    if (row.step >= 0) out.format("{}", row.step);
    for (const std::uint64_t bytes : row.point.bytes) out.format(",{}", bytes);
    out.format(",{},{}\n", row.allocated_bytes, row.reserved_bytes);
  });
}

// Quoting costs more than writing, and the same texts come again with each step.
class QuotedTexts {
 public:
  // `text` is one that the facts hold.
  const std::string& operator[](std::string_view text) {
    const auto [found, is_new] = quoted_.try_emplace(text);
    if (is_new) found->second = csv_text(text);
    return found->second;
  }

 private:
  std::unordered_map<std::string_view, std::string> quoted_;
};

void write_block(const MemoryFacts& facts, const Block& block, QuotedTexts& quoted, Buffer& out) {
  const PhaseFact* const phase = block.phase == 0 ? nullptr : &facts.phases[block.phase - 1];
  out.format("{:#x},{},{},{},{},", block.address, block.bytes, to_string(block.category),
             quoted[to_string(block.kind)], quoted[report::reason_text(block.reason)]);
  for (const std::uint32_t text : {block.name, block.op, block.layer, block.saver})
    out.format("{},", quoted[facts.texts[text]]);
  if (phase != nullptr && phase->step >= 0) out.format("{}", phase->step);
  out.format(",{},", phase == nullptr ? "" : quoted[phase->name]);
  out.format("{},{},", block.birth_sequence, block.birth_ns - facts.begin_ns);
  if (block.death_sequence != UINT64_MAX)
    out.format("{},{}", block.death_sequence, block.death_ns - facts.begin_ns);
  else
    out.append(",");
  const analysis::TensorForm& form = facts.forms.at(block.form);
  out.format(",{},{}\n", quoted[facts.texts[form.dtype]], quoted[facts.texts[form.shape]]);
}

void write_blocks(const MemoryFacts& facts, Buffer& out, const Progress& progress) {
  RowCount rows(progress, facts.blocks.size());
  QuotedTexts quoted;
  out.append(
      "address,bytes,category,kind,reason,owner,op,module,kept_by,step,phase,birth_sequence,birth_ns,"
      "death_sequence,death_ns,dtype,shape\n");
  for (const Block& block : facts.blocks) {
    rows.add();
    write_block(facts, block, quoted, out);
  }
}

}  // namespace

void write_csv(const MemoryFacts& facts, Table table, Output& output, const Progress& progress) {
  Buffer out(output);
  switch (table) {
    case Table::kCategories:
      write_categories(facts, out);
      break;
    case Table::kTimeline:
      write_timeline(facts, out, progress);
      break;
    case Table::kBlocks:
      write_blocks(facts, out, progress);
      break;
  }
  out.flush();
}

}  // namespace strata::exports

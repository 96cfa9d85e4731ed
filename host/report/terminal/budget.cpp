// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/budget.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "host/analysis/facts/facts.hpp"
#include "host/report/advise_line.hpp"
#include "host/report/kind_meanings.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"
#include "host/report/words/sentences.hpp"
#include "host/report/words/unrecorded_modules.hpp"

namespace strata::report {
namespace {

using analysis::Block;
using analysis::BudgetCheck;
using analysis::Facts;

constexpr std::size_t kMostBlocks = 10;
constexpr std::size_t kMostShares = 4;
constexpr int kBudgetWidth = 80;

std::string budget_amount(std::uint64_t bytes) {
  return mebibytes(static_cast<double>(bytes), bytes < (std::uint64_t{10} << 20) ? 3 : 1);
}

std::string budget_line(std::uint64_t bytes, std::string_view text) {
  return fmt::format("  {:>12}  {}\n", budget_amount(bytes), printable(text));
}

std::string block_name(const Facts& facts, const Block& block) {
  const std::string& owner = facts.texts[block.name];
  const std::string& layer = facts.texts[block.layer];
  std::string name = fmt::format("{} {}", kind_label(block.category, block.kind),
                                 owner.empty() ? facts.texts[block.op] : owner);
  if (!layer.empty()) name += " in " + layer;
  return name;
}

std::string what_filled_it(const Facts& facts, const BudgetCheck& check) {
  std::string text = "Most of it, in MiB:\n";
  const auto& kinds = check.peak.by_kind;
  for (std::size_t index = 0; index < std::min(kinds.size(), kMostShares); ++index)
    text += budget_line(kinds[index].bytes, kinds[index].label);
  text += "Its largest owners, in MiB:\n";
  const auto& blocks = check.peak.largest_blocks;
  for (std::size_t index = 0; index < std::min(blocks.size(), kMostBlocks); ++index) {
    const Block& block = facts.blocks[blocks[index]];
    text += budget_line(block.bytes, block_name(facts, block));
  }
  return text;
}

std::string layers_hint(const Facts& facts) {
  const std::string_view how = how_to_record_modules(facts);
  return how.empty() ? "" : fmt::format("To see which layers hold it: {}\n", how);
}

std::string budget_findings(const BudgetCheck& check) {
  if (check.findings.empty()) return {};
  std::string text = check.ran_out ? "What the recording shows of the moment it ran out, in MiB:\n"
                                   : "What the recording shows, in MiB:\n";
  for (const analysis::Finding& finding : check.findings)
    text += budget_line(finding.bytes, finding_text(finding));
  return text;
}

}  // namespace

std::string budget_report(const Facts& facts, const BudgetCheck& check) {
  const analysis::Peak& peak = check.peak;
  const std::string where = peak.step < 0 ? "outside of the steps" : fmt::format("in step {}", peak.step);
  std::string text = fmt::format(
      "peak {} MiB on {}, {} the budget of {} MiB, {}{}\n", budget_amount(peak.allocated_bytes), facts.device,
      peak.allocated_bytes <= check.budget_bytes ? "within" : "above", budget_amount(check.budget_bytes),
      where, peak.phase.empty() ? "" : ", " + printable(peak.phase));
  if (check.ran_out) {
    text += facts.out_of_memory.empty()
                ? "it ended when another device's memory ran out, such as the host's: what it takes in all "
                  "is not known, and counts as above\n"
                : "it ran out of memory then: what it takes in all is not known, and counts as above; run it "
                  "where there is room\n";
  }
  if (peak.allocated_bytes <= check.budget_bytes && check.most_reserved_bytes > check.budget_bytes) {
    text += fmt::format(
        "reserved from the device: {} MiB at most, above the budget, which is held against what is "
        "allocated; with PYTORCH_ALLOC_CONF=expandable_segments:True less lies in pieces\n",
        budget_amount(check.most_reserved_bytes));
  }
  if (check.fits()) return text;
  if (peak.allocated_bytes > check.budget_bytes) text += what_filled_it(facts, check);
  text += budget_findings(check) + layers_hint(facts);
  if (!check.ran_out || !facts.out_of_memory.empty())
    text += advise_line(facts, kBudgetWidth, check.budget_bytes);
  return text;
}

}  // namespace strata::report

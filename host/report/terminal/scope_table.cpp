// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/tables.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "host/analysis/checks/reconciliation.hpp"
#include "host/analysis/facts/facts.hpp"
#include "host/analysis/facts/forward.hpp"
#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/terminal_style.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

// The memory of a moment under all its names, as a tree of sums.

using analysis::MemoryFacts;
using analysis::Reconciliation;

class Tree {
 public:
  Tree(int decimals, const TerminalStyle& style) : decimals_(decimals), style_(style) {}

  void line(int depth, std::string_view name, std::int64_t bytes, std::string_view note) {
    const std::string_view sign = bytes < 0 ? "-" : "";
    const auto size = static_cast<std::uint64_t>(std::abs(bytes));
    const std::string numbers =
        fmt::format("  {:>18}{:>12}  ", fmt::format("{}{}", sign, thousands(size)),
                    fmt::format("{}{}", sign, mebibytes(static_cast<double>(size), decimals_)));
    const std::string label = fitted(fmt::format("{:{}}{}", "", 2 * depth, name), 28);
    const int room = style_.width - 34 - 28 - 1;
    std::string row = numbers + label;
    const bool fits = columns(note) <= room;
    if (!note.empty() && fits) row += " " + style_.dimmed(note);
    row.erase(row.find_last_not_of(' ') + 1);
    text_ += row + '\n';
    if (!fits) text_ += style_.dimmed(wrapped(note, 34, style_.width));
  }
  void line(int depth, std::string_view name, std::uint64_t bytes, std::string_view note) {
    line(depth, name, static_cast<std::int64_t>(bytes), note);
  }

  std::string take() && { return std::move(text_); }

 private:
  int decimals_;
  const TerminalStyle& style_;
  std::string text_;
};

void add_categories(Tree& tree, int depth, const Reconciliation& moment) {
  for (std::size_t category = 0; category < analysis::kCategories; ++category) {
    const std::uint64_t requested = moment.requested_by.at(category);
    const std::uint64_t allocated = moment.allocated_by.at(category);
    if (allocated == 0) continue;
    tree.line(
        depth, to_string(static_cast<analysis::Category>(category)), requested,
        allocated == requested ? std::string() : fmt::format("{} in whole blocks", thousands(allocated)));
  }
}

// From `allocated` down.
void add_allocated(Tree& tree, int depth, const Reconciliation& moment, std::string_view note) {
  tree.line(depth, "allocated", moment.allocated_bytes, note);
  if (moment.rounding_bytes > 0) {
    tree.line(depth + 1, "rounding", moment.rounding_bytes, "blocks are larger than what was asked for");
    tree.line(depth + 1, "requested", moment.requested_bytes,
              R"(memory_stats()["requested_bytes.all.current"])");
    add_categories(tree, depth + 2, moment);
  } else {
    add_categories(tree, depth + 1, moment);
  }
}

void add_device(Tree& tree, const Reconciliation& moment) {
  int depth = 0;
  if (moment.device_used_bytes) {
    tree.line(depth++, "device used", *moment.device_used_bytes,
              "nvidia-smi; total less free of mem_get_info()");
    tree.line(depth, "outside the allocator", moment.outside_bytes,
              "context, libraries, other processes on the card");
  }
  tree.line(depth, "reserved", moment.reserved_bytes, "torch.cuda.memory_reserved()");
  tree.line(depth + 1, "unused", moment.unused_bytes, "kept by the allocator, held by no block");
  if (moment.deferred_bytes > 0)
    tree.line(depth + 1, "deferred", moment.deferred_bytes, "freed, and a stream still uses it");
  add_allocated(tree, depth + 1, moment, "torch.cuda.memory_allocated()");
  if (moment.resident_bytes)
    tree.line(0, "resident (RSS)", *moment.resident_bytes, "what the process holds of the host's memory");
}

// A page that has not been touched yet is allocated but not resident.
void add_host(Tree& tree, const Reconciliation& moment) {
  if (moment.resident_bytes) {
    tree.line(0, "resident (RSS)", *moment.resident_bytes, "top, ps; psutil's rss");
    tree.line(
        1, "beside the allocator",
        static_cast<std::int64_t>(*moment.resident_bytes) - static_cast<std::int64_t>(moment.allocated_bytes),
        "program, libraries, other allocators");
  }
  add_allocated(tree, moment.resident_bytes ? 1 : 0, moment, "by torch's CPU allocator");
}

std::string where(const MemoryFacts& facts, const Reconciliation& moment) {
  std::string text = moment.step < 0 ? std::string("outside of steps") : fmt::format("step {}", moment.step);
  if (!moment.phase.empty()) text += ", " + shortened(moment.phase, 24);
  return text + fmt::format(", {} into the run", duration(static_cast<double>(moment.ns - facts.begin_ns)));
}

// In bytes, so that the lines add up exactly, and in MiB.
std::string reconciliation_table(const MemoryFacts& facts, const Reconciliation& moment,
                                 const TerminalStyle& style) {
  const std::uint64_t largest = std::max({moment.allocated_bytes, moment.device_used_bytes.value_or(0),
                                          facts.on_host() ? moment.resident_bytes.value_or(0) : 0});
  Tree tree(decimals_for(static_cast<double>(largest)), style);
  if (facts.on_host()) {
    add_host(tree, moment);
  } else {
    add_device(tree, moment);
  }
  return style.heading("One moment under all its names: " + where(facts, moment)) + '\n' +
         style.heading(fmt::format("  {:>18}{:>12}", "bytes", "MiB")) + '\n' + std::move(tree).take();
}

using analysis::Facts;
using analysis::kMeasures;
using analysis::Measure;
using analysis::Scope;
using analysis::ScopeKind;

constexpr int kLabelColumns = 23;
constexpr int kNumberColumns = 11;
// More steps than that are in --json.
constexpr std::size_t kListedSteps = 24;

constexpr std::array<std::string_view, kMeasures> kHeadings{"device used", "reserved", "allocated",
                                                            "requested", "resident"};

constexpr std::array<std::string_view, kMeasures> kMeanings{
    "of the whole card, by all processes: what nvidia-smi shows", "torch.cuda.max_memory_reserved()",
    "torch.cuda.max_memory_allocated()", R"(torch.cuda.memory_stats()["requested_bytes.all.peak"])",
    "RSS: what the process holds of the host's memory"};

bool shows(const Facts& facts, const std::vector<Scope>& scopes, std::size_t measure) {
  const bool of_device = static_cast<Measure>(measure) != Measure::kAllocated &&
                         static_cast<Measure>(measure) != Measure::kResident;
  if (of_device && facts.on_host()) return false;
  return std::ranges::any_of(scopes, [&](const Scope& scope) { return scope.of.at(measure).has_value(); });
}

int decimals_of(const std::vector<Scope>& scopes) {
  std::uint64_t largest = 0;
  for (const Scope& scope : scopes) {
    for (const auto& levels : scope.of) largest = std::max(largest, levels ? levels->peak_bytes : 0);
  }
  return decimals_for(static_cast<double>(largest));
}

std::string label_of(const Scope& scope) {
  if (scope.kind == ScopeKind::kStep || scope.first_step < 0) return scope.label;
  if (scope.first_step == scope.last_step) return fmt::format("{}, step {}", scope.label, scope.first_step);
  return fmt::format("{}, steps {}-{}", scope.label, scope.first_step, scope.last_step);
}

class ScopeTable {
 public:
  ScopeTable(const Facts& facts, const std::vector<Scope>& scopes, const TerminalStyle& style)
      : facts_(facts), scopes_(scopes), style_(style), decimals_(decimals_of(scopes)) {
    for (std::size_t measure = 0; measure < kMeasures; ++measure) {
      if (shows(facts, scopes, measure)) shown_.push_back(measure);
    }
  }

  std::string peaks() const {
    std::string text = style_.heading("The most within each, in MiB (2^20 bytes)") + '\n';
    std::string heading = fmt::format("  {:<{}}", "", kLabelColumns);
    for (const std::size_t measure : shown_)
      heading += fmt::format("{:>{}}", kHeadings.at(measure), kNumberColumns);
    text += style_.heading(heading) + '\n';
    std::size_t steps = 0;
    for (const Scope& scope : scopes_) {
      if (scope.kind == ScopeKind::kStep && ++steps > kListedSteps) continue;
      text += fmt::format("  {}", fitted(label_of(scope), kLabelColumns));
      for (const std::size_t measure : shown_) {
        const auto& levels = scope.of.at(measure);
        text += fmt::format("{:>{}}", levels ? amount(levels->peak_bytes) : "-", kNumberColumns);
      }
      text += '\n';
    }
    if (steps > kListedSteps)
      text +=
          style_.dimmed(fmt::format("  {} more steps: --json has them", thousands(steps - kListedSteps))) +
          '\n';
    return text + meanings();
  }

  // The values at each begin and end; for steps and epochs only in --json.
  std::string levels() const {
    std::string text = style_.heading(fmt::format("  {:<{}}{:>{}}{:>{}}{:>{}}  {}", "", kLabelColumns,
                                                  "begin", kNumberColumns, "end", kNumberColumns, "most",
                                                  kNumberColumns, "into the run")) +
                       '\n';
    for (const Scope& scope : scopes_) {
      if (scope.kind == ScopeKind::kStep || scope.kind == ScopeKind::kEpoch) continue;
      text += "  " + shortened(label_of(scope), style_.width - 2) + '\n';
      for (const std::size_t measure : shown_) {
        if (const auto& levels = scope.of.at(measure)) {
          text +=
              fmt::format("    {:<{}}{:>{}}{:>{}}{:>{}}  {}\n", kHeadings.at(measure), kLabelColumns - 2,
                          amount(levels->begin_bytes), kNumberColumns, amount(levels->end_bytes),
                          kNumberColumns, amount(levels->peak_bytes), kNumberColumns,
                          levels->peak_ns ? duration(static_cast<double>(*levels->peak_ns - facts_.begin_ns))
                                          : "between two samples");
        }
      }
    }
    return text;
  }

 private:
  std::string amount(std::uint64_t bytes) const { return mebibytes(static_cast<double>(bytes), decimals_); }

  std::string meanings() const {
    std::string text;
    for (const std::size_t measure : shown_) {
      const bool on_host = facts_.on_host() && static_cast<Measure>(measure) == Measure::kAllocated;
      text += style_.dimmed(shortened(
                  fmt::format("  {:<12} {}", kHeadings.at(measure),
                              on_host ? std::string_view("by torch's CPU allocator") : kMeanings.at(measure)),
                  style_.width)) +
              '\n';
    }
    return text;
  }

  const Facts& facts_;
  const std::vector<Scope>& scopes_;
  const TerminalStyle& style_;
  int decimals_;
  std::vector<std::size_t> shown_;
};

std::string estimate(const Facts& facts, const TerminalStyle& style) {
  if (!facts.layer_estimate) return {};
  const analysis::LayerEstimate& found = *facts.layer_estimate;
  const int decimals = decimals_for(static_cast<double>(found.bytes));
  const auto line = [&](std::uint64_t bytes, std::string_view what) {
    return fmt::format("  {:>18}{:>12}  {}\n", thousands(bytes),
                       mebibytes(static_cast<double>(bytes), decimals), shortened(what, style.width - 34));
  };
  std::string text =
      '\n' + style.heading(fmt::format("Activations, estimated: the forward of step {}", found.step)) + '\n' +
      style.heading(fmt::format("  {:>18}{:>12}", "bytes", "MiB")) + '\n';
  text += line(found.bytes, "estimate: the sum of what layers return");
  for (const analysis::PeakShare& share : found.by_op)
    text += line(share.bytes,
                 fmt::format("  {}, {}", printable(share.label), counted(share.blocks, "call", "calls")));
  text += line(found.activation_bytes, "kept: Activation when the forward ends, as asked for");
  return text + line(found.saved_bytes, "  of it held by autograd's graph");
}

}  // namespace

std::string scope_report(const Facts& facts, const std::vector<Scope>& scopes, bool colour, int width) {
  const TerminalStyle style{colour, std::max(width, kNarrowestTerminal)};
  const ScopeTable table(facts, scopes, style);
  return table.peaks() + '\n' + table.levels() + '\n' +
         reconciliation_table(facts, reconcile_peak(facts), style) + estimate(facts, style);
}

}  // namespace strata::report

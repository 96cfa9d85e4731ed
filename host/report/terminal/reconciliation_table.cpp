// SPDX-License-Identifier: Apache-2.0
#include "host/report/terminal/reconciliation_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "host/analysis/facts/memory_facts.hpp"
#include "host/report/quantity.hpp"
#include "host/report/text.hpp"

namespace strata::report {
namespace {

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

}  // namespace

std::string reconciliation_table(const MemoryFacts& facts, const Reconciliation& moment,
                                 const TerminalStyle& style) {
  const std::uint64_t largest = std::max({moment.allocated_bytes, moment.device_used_bytes.value_or(0),
                                          facts.device == "cpu" ? moment.resident_bytes.value_or(0) : 0});
  Tree tree(decimals_for(static_cast<double>(largest)), style);
  if (facts.device == "cpu") {
    add_host(tree, moment);
  } else {
    add_device(tree, moment);
  }
  return style.heading("One moment under all its names: " + where(facts, moment)) + '\n' +
         style.heading(fmt::format("  {:>18}{:>12}", "bytes", "MiB")) + '\n' + std::move(tree).take();
}

}  // namespace strata::report

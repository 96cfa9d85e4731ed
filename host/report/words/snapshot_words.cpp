// SPDX-License-Identifier: Apache-2.0
#include "host/report/words/snapshot_words.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <string_view>
#include <vector>

#include "host/report/quantity.hpp"

namespace strata::report {

bool has_no_categories(const analysis::RunFacts& facts) {
  return facts.snapshot && !facts.snapshot->has_categories;
}

std::string snapshot_window(const analysis::MemoryFacts& facts) {
  const analysis::SnapshotFact& snapshot = *facts.snapshot;
  if (snapshot.entries == 0) return "the snapshot's moment: it has no history";
  std::string text =
      fmt::format("the snapshot's history of {}", counted(snapshot.entries, "entry", "entries"));
  if (snapshot.has_times)
    text += fmt::format(" over {}", duration(static_cast<double>(facts.end_ns - facts.begin_ns)));
  return text;
}

std::string snapshot_sentence(const analysis::MemoryFacts& facts) {
  if (!facts.snapshot) return {};
  const analysis::SnapshotFact& snapshot = *facts.snapshot;
  std::vector<std::string_view> missing;
  if (facts.steps.empty()) missing.emplace_back("steps");
  missing.insert(missing.end(), {"phases", "modules"});
  if (!snapshot.has_categories) missing.emplace_back("categories (all memory is Unknown)");
  if (!snapshot.has_stacks) missing.emplace_back("stacks");
  if (!snapshot.has_times && snapshot.entries > 0) missing.emplace_back("times (an entry takes 1 us here)");
  std::string text =
      fmt::format("torch's memory snapshot {}. It has no {}",
                  std::filesystem::path(snapshot.file).filename().string(), fmt::join(missing, ", "));
  if (snapshot.entries == 0) return text + ", and no history: only what was held at its moment is known";
  if (snapshot.held_blocks > 0) {
    text += fmt::format(". {} with {} were there when its history begins: peaks before are unknown",
                        counted(snapshot.held_blocks, "block", "blocks"), in_mib(snapshot.held_bytes));
    if (snapshot.devices > 1) text += fmt::format(" (on {} devices)", snapshot.devices);
  }
  if (snapshot.was_stopped)
    text += ". Its history was switched off before the snapshot: what came between is one last change";
  return text;
}

}  // namespace strata::report

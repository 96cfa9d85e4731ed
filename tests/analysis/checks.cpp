// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/checks.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "host/analysis/analyse.hpp"
#include "host/analysis/facts/reason.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "strata/ext/memory.h"
#include "tests/analysis/batch_runs.hpp"
#include "tests/analysis/odd_run.hpp"

namespace strata::analysis::testing {
namespace {

Reason reason_of(std::string_view rule_name) {
  for (const Rule& rule : standard_rules()) {
    if (rule.name == rule_name) return rule.reason;
  }
  throw std::logic_error("no rule is called " + std::string(rule_name));
}

bool labels_are(const Facts& facts, const std::vector<Expected>& expected) {
  if (facts.blocks.size() != expected.size()) return false;
  for (std::size_t index = 0; index < expected.size(); ++index) {
    const Block& block = facts.blocks[index];
    if (block.category != expected[index].category || to_string(block.kind) != expected[index].kind)
      return false;
    if (!expected[index].rule.empty() && block.reason != reason_of(expected[index].rule)) return false;
  }
  return true;
}

bool layers_are(const Facts& facts, const std::vector<Expected>& expected) {
  return std::equal(
      facts.blocks.begin(), facts.blocks.end(), expected.begin(), expected.end(),
      [&](const Block& block, const Expected& wanted) { return facts.texts[block.layer] == wanted.layer; });
}

// Counted without blocks and categories.
bool sums_hold(const Recording& run, const Facts& facts) {
  std::map<std::uint64_t, std::uint64_t> sizes;
  std::uint64_t allocated = 0;
  auto point = facts.points.begin();
  for (const MemoryRow& row : run.memory) {
    if (row.action == STRATA_MEMORY_ALLOCATE) {
      sizes[row.address] = row.bytes;
      allocated += row.bytes;
    } else {
      allocated -= sizes[row.address];
    }
    if (point == facts.points.end() || point->sequence != row.sequence ||
        allocated_bytes(*point) != allocated)
      return false;
    ++point;
  }
  return point == facts.points.end();
}

bool named_by_lifetime(const Facts& facts) {
  return std::any_of(facts.blocks.begin(), facts.blocks.end(), [](const Block& block) {
    for (const char* rule :
         {"data_kept", "data_ahead", "gradient_left", "optimizer_state_left", "optimizer_state_at_end"}) {
      if (block.reason == reason_of(rule)) return true;
    }
    return false;
  });
}

bool any_unknown(const Facts& facts) {
  const auto unknown = static_cast<std::size_t>(Category::kUnknown);
  return std::any_of(facts.points.begin(), facts.points.end(),
                     [&](const Point& point) { return point.bytes[unknown] > 0; });
}

// Blocks of hand-made runs name the rule that must decide; their lifetimes are the only evidence, on
// purpose.
bool is_hand_made(const TrainingRun& run) {
  return std::any_of(run.expected.begin(), run.expected.end(),
                     [](const Expected& block) { return !block.rule.empty(); });
}

}  // namespace

std::set<std::string> failed_checks(const TrainingRun& run, const Method& method) try {
  std::set<std::string> failed;
  const Facts facts = analyse(run.recording, method);
  if (!labels_are(facts, run.expected)) failed.insert("labels");
  if (!layers_are(facts, run.expected)) failed.insert("layers");
  if (!sums_hold(run.recording, facts)) failed.insert("sums");
  if (is_hand_made(run)) return failed;
  if (any_unknown(facts)) failed.insert("unknown");
  if (named_by_lifetime(facts)) failed.insert("owners");
  if (facts.truth && (facts.truth->off_diagonal().blocks > 0 || !facts.truth->disagreements.empty()))
    failed.insert("truth");
  return failed;
} catch (const std::logic_error&) {
  return {"total"};
}

const std::vector<TrainingRun>& runs_to_check() {
  static const std::vector<TrainingRun> runs = {
      make_training_run(),
      make_training_run({.micro_batches = 1, .layers = 3}),
      make_training_run({.set_to_none = false}),
      make_training_run({.saved_tensors = false}),
      make_training_run({.checkpointing = true}),
      make_training_run({.saved_tensors = false, .checkpointing = true}),
      make_training_run({.backward = false}),
      make_training_run({.backward_ranges = true}),
      make_training_run({.checkpointing = true, .backward_ranges = true}),
      make_odd_run(),
      make_retained_run(),
      make_nameless_optimizer_run(),
      make_nameless_optimizers_run(),
      make_two_optimizers_run(),
      make_unmarked_batch_run(),
      make_cut_short_run(),
      make_cut_short_optimizer_run(),
      make_cut_short_behind_optimizer_run(),
      make_caught_failures_run(),
  };
  return runs;
}

}  // namespace strata::analysis::testing

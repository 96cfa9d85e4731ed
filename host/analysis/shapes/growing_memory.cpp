// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "host/analysis/memory/alive.hpp"
#include "host/analysis/memory/said.hpp"
#include "host/analysis/peak/kept_from_earlier.hpp"
#include "host/analysis/shapes/families.hpp"

namespace strata::analysis {
namespace {

// Of fewer it is an evaluation's forwards that count.
constexpr std::size_t kStepsOfTraining = 3;

// What is there at the moment at which most of it is.
struct Growth {
  std::vector<const Block*> blocks;  // by birth
  std::set<std::uint32_t> forwards;
  std::set<std::int64_t> steps;
  std::uint64_t bytes = 0, sequence = 0;
  std::uint64_t first_death = UINT64_MAX;
  bool is_of_graphs = false;
};

Growth growth_of(const MemoryFacts& facts, const KeptFromEarlier& kept) {
  std::vector<const Block*> all;
  for (const KeptBlock& each : kept.blocks()) all.push_back(&facts.blocks[each.block]);
  Growth growth;
  growth.sequence = most_alive(all).sequence;
  const std::vector<KeptBlock> alive = kept.alive_at(growth.sequence);
  growth.is_of_graphs = are_of_graphs(facts, alive);
  for (const KeptBlock& each : alive) {
    const Block& block = facts.blocks[each.block];
    growth.blocks.push_back(&block);
    growth.forwards.insert(each.forward);
    growth.steps.insert(each.step);
    growth.bytes += block.bytes;
    growth.first_death = std::min(growth.first_death, block.death_sequence);
  }
  return growth;
}

// "11 steps, 1 to 11"; of an evaluation "4 forwards of step 8", or "8 forwards of steps 8 to 16".
std::string said_extent(const Growth& growth, bool is_by_step) {
  const std::int64_t first = *growth.steps.begin(), last = *growth.steps.rbegin();
  if (is_by_step) return fmt::format("{} steps, {} to {}", growth.steps.size(), first, last);
  return first == last ? fmt::format("{} forwards of step {}", growth.forwards.size(), first)
                       : fmt::format("{} forwards of steps {} and {}", growth.forwards.size(), first, last);
}

std::string sentence_of(const MemoryFacts& facts, const Growth& growth) {
  const bool is_by_step = growth.steps.size() >= kStepsOfTraining;
  const std::size_t times = is_by_step ? growth.steps.size() : growth.forwards.size();
  // What nothing is born behind is taken down by the program's end.
  const std::string until = growth.first_death >= facts.blocks.back().birth_sequence
                                ? "at the end"
                                : fmt::format("in step {}", *growth.steps.rbegin());
  return fmt::format(
      "Memory grows by {} a {} over {}: what {} made in step {} is still there {}, and with what each {} "
      "behind it left it is {}.",
      said_bytes(growth.bytes / times), is_by_step ? "step" : "forward", said_extent(growth, is_by_step),
      main_maker(facts, growth.blocks), *growth.steps.begin(), until, is_by_step ? "step" : "forward",
      said_bytes(growth.bytes));
}

}  // namespace

std::vector<Shape> growing_memory(const MemoryFacts& facts) {
  const KeptFromEarlier kept(facts);
  if (kept.blocks().empty()) return {};
  const Growth growth = growth_of(facts, kept);
  const StepFact* const last = step_at(facts, growth.sequence);
  const StepFact* const first = step_at(facts, growth.blocks.front()->birth_sequence);
  if (last == nullptr || first == nullptr) return {};
  const StepView step(facts, *last, {});
  if (!step.is_seen(growth.bytes)) return {};
  Shape shape =
      step.shape(ShapeKind::kGrowingMemory, step.span(), step.level_at(growth.sequence), growth.bytes);
  shape.begin_ns = first->begin_ns;
  shape.count = growth.steps.size();
  shape.sentence = sentence_of(facts, growth);
  shape.remedy =
      growth.is_of_graphs
          ? "losses or outputs are kept with their graph: .detach() or .item() lets go of that, and an "
            "evaluation under torch.no_grad() makes none"
          : "losses or outputs are kept on the device: .item() or .cpu() takes what is needed off it, and "
            "an evaluation under torch.no_grad() keeps nothing else";
  shape.evidence = fmt::format(
      "{} of {}, each alive behind the end of the step that follows its own, and none that died in a "
      "backward",
      said_count(growth.blocks.size(), "block", "blocks"),
      said_count(growth.forwards.size(), "forward", "forwards"));
  return {shape};
}

}  // namespace strata::analysis

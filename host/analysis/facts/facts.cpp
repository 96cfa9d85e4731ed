// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/facts/facts.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <numeric>
#include <string_view>

#include "strata/ext/activity.h"

namespace strata::analysis {
namespace {

// By RunEnd.
constexpr std::array<std::string_view, 8> kRunEnds = {"unknown",     "open",          "done",   "failed",
                                                      "interrupted", "out_of_memory", "exited", "killed"};

}  // namespace

const char* to_string(Category category) {
  switch (category) {
    case Category::kParameter:
      return "Parameter";
    case Category::kOptimizerState:
      return "Optimizer_State";
    case Category::kInput:
      return "Input";
    case Category::kTemporary:
      return "Temporary";
    case Category::kActivation:
      return "Activation";
    case Category::kGradient:
      return "Gradient";
    case Category::kAutogradDetail:
      return "Autograd_Detail";
    case Category::kUnknown:
      break;
  }
  return "Unknown";
}

std::string_view to_string(RunEnd end) {
  return kRunEnds.at(static_cast<std::size_t>(end));
}

RunEnd run_end_of(std::string_view word) {
  const auto found = std::ranges::find(kRunEnds, word);
  return found == kRunEnds.end() ? RunEnd::kUnknown : static_cast<RunEnd>(found - kRunEnds.begin());
}

std::uint64_t sum(const CategoryBytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0});
}

bool traces_memory(const RunFacts& facts) {
  if (facts.snapshot) return true;
  return std::ranges::any_of(facts.plugins, [](const PluginFact& plugin) {
    return plugin.id == "allocator_tracer" && plugin.is_ok();
  });
}

bool Thinned::contains(std::uint64_t sequence) const {
  const auto after = std::ranges::upper_bound(intervals, sequence, {}, &ThinnedSteps::begin_sequence);
  return after != intervals.begin() && sequence < std::prev(after)->end_sequence;
}

RunInterval interval_of(const ProgramFacts& facts, std::int64_t step) {
  const auto found = std::ranges::lower_bound(facts.steps, step, {}, &StepFact::index);
  if (step < 0 || found == facts.steps.end() || found->index != step)
    return {-1, facts.window_begin_sequence, facts.window_end_sequence, facts.window_begin_ns,
            facts.window_end_ns};
  return {step, found->begin_sequence, found->end_sequence, found->begin_ns,
          std::min(found->end_ns, facts.end_ns)};
}

const TakenStack* CallStacks::at(std::uint64_t sequence) const {
  const auto found =
      std::lower_bound(taken.begin(), taken.end(), sequence,
                       [](const TakenStack& left, std::uint64_t wanted) { return left.sequence < wanted; });
  return found == taken.end() || found->sequence != sequence ? nullptr : &*found;
}

const std::vector<PythonFrame>& CallStacks::python_frames(std::uint32_t stack) const {
  static const std::vector<PythonFrame> none;
  const std::uint32_t number = stack < python_of.size() ? python_of[stack] : kNoPython;
  return number == kNoPython ? none : python.at(number);
}

ConfusionCell Confusion::off_diagonal() const {
  ConfusionCell sum;
  for (std::size_t truth = 0; truth < kCategories; ++truth) {
    for (std::size_t rule = 0; rule < kCategories; ++rule) {
      if (truth == rule) continue;
      sum.blocks += cells[truth][rule].blocks;
      sum.bytes += cells[truth][rule].bytes;
    }
  }
  return sum;
}

ConfusionCell Confusion::labelled_differently() const {
  ConfusionCell sum;
  for (const Disagreement& disagreement : disagreements) {
    sum.blocks += disagreement.size.blocks;
    sum.bytes += disagreement.size.bytes;
  }
  return sum;
}

bool is_device_work(std::uint32_t activity_kind) {
  return activity_kind == STRATA_ACTIVITY_KERNEL || activity_kind == STRATA_ACTIVITY_COPY ||
         activity_kind == STRATA_ACTIVITY_SET || activity_kind == STRATA_ACTIVITY_GRAPH;
}

const char* to_string(IdleCause cause) {
  switch (cause) {
    case IdleCause::kData:
      return "data";
    case IdleCause::kSynchronize:
      return "synchronize";
    case IdleCause::kLaunch:
      return "launch";
    case IdleCause::kLatency:
      return "latency";
    case IdleCause::kNoStep:
      return "no_step";
    case IdleCause::kTail:
      return "tail";
    case IdleCause::kUnknown:
      break;
  }
  return "unknown";
}

std::int64_t DeviceTime::idle_in_all_ns() const {
  return std::accumulate(idle_ns.begin(), idle_ns.end(), std::int64_t{0});
}

std::optional<double> ProductTime::intensity() const {
  if (bytes == 0) return std::nullopt;
  return flop / static_cast<double>(bytes);
}

std::optional<double> ProductTime::flop_per_second() const {
  if (time_ns <= 0) return std::nullopt;
  return flop * 1e9 / static_cast<double>(time_ns);
}

}  // namespace strata::analysis

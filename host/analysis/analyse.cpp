#include "host/analysis/analyse.hpp"

#include <fmt/format.h>

#include <cmath>

#include "host/analysis/caching_allocator.hpp"
#include "host/analysis/cross_check.hpp"
#include "host/analysis/layers.hpp"
#include "host/analysis/other_memory.hpp"
#include "host/analysis/out_of_memory.hpp"
#include "host/analysis/pace.hpp"
#include "host/analysis/peak.hpp"
#include "host/analysis/run_reader.hpp"
#include "host/analysis/statistics.hpp"
#include "host/analysis/timeline.hpp"
#include "host/analysis/truth.hpp"
#include "host/analysis/window.hpp"
#include "strata/events.h"

namespace strata::analysis {
namespace {

std::vector<PhaseFact> phase_facts(const Recording& run, const StepStructure& structure) {
  std::vector<PhaseFact> facts;
  facts.reserve(run.phases.size());
  for (std::size_t row = 0; row < run.phases.size(); ++row) {
    const PhaseRow& phase = run.phases[row];
    facts.push_back({phase.kind, run.texts[phase.name], phase.step, phase.micro_batch, structure.depth(row),
                     phase.begin_sequence, phase.end_sequence, phase.begin_ns, phase.end_ns});
  }
  return facts;
}

// A session that ends inside a step closes the step itself, and knows neither its loss nor its tokens.
bool is_complete(const Recording& run, const StepRow& step) {
  if (step.end_ns == INT64_MAX) return false;
  const bool may_be_cut_short = run.end != "done" && step.step == run.steps.back().step;
  return !may_be_cut_short || !std::isnan(step.loss) || step.tokens > 0;
}

std::vector<StepFact> step_facts(const Recording& run, const std::vector<Point>& points) {
  const bool caches = !run.reserved.empty();
  std::vector<StepFact> facts;
  facts.reserve(run.steps.size());
  for (const StepRow& step : run.steps) {
    const auto highest = highest_point(points, step.begin_sequence, step.end_sequence);
    const std::uint64_t peak_bytes = highest ? allocated_bytes(points[*highest]) : 0;
    const std::uint64_t reserved_bytes =
        caches ? most_reserved(run.reserved, step.begin_sequence, step.end_sequence) : peak_bytes;
    facts.push_back({step.step, step.schedule, step.begin_sequence, step.end_sequence, step.begin_ns,
                     step.end_ns, step.loss, step.tokens, peak_bytes, reserved_bytes,
                     is_complete(run, step)});
  }
  return facts;
}

}  // namespace

Facts analyse(const Recording& run, const Method& method) {
  const BlockTable table = build_blocks(run);
  const OpTable ops(run);
  const StepStructure structure(run);
  std::vector<Evidence> evidence = gather_evidence(run, table, ops, structure);
  if (run.end == "out_of_memory" && !run.failures.empty())
    forget_after(run.failures.back().sequence, evidence);
  Texts texts = run.texts;

  Facts facts;
  facts.name = run.name;
  facts.directory = run.directory.string();
  facts.device = device_name(run.device);
  facts.end = run.end;
  facts.begin_ns = run.begin_ns;
  facts.end_ns = run.end_ns;
  facts.plugins = run.plugins;
  facts.other_memory = run.other_memory;
  facts.dry = run.dry;
  facts.unit = run.unit;
  facts.reserved = run.reserved;
  facts.warnings = run.warnings;
  facts.warnings.insert(facts.warnings.end(), table.warnings.begin(), table.warnings.end());

  const Window window = active_window(run, facts.warnings);
  facts.first_step = window.first_step;
  facts.last_step = window.last_step;
  facts.window_begin_ns = window.begin_ns;
  facts.window_end_ns = window.end_ns;

  const Layers layers(run, ops, method.forward_key);
  facts.blocks = attribute(table, ops, structure, evidence, layers, method, texts);
  facts.texts = texts.all();
  facts.points = make_timeline(facts.blocks, table.changes);
  facts.phases = phase_facts(run, structure);
  facts.steps = step_facts(run, facts.points);
  facts.pace = window_pace(facts.steps, facts.first_step, facts.last_step);
  const WindowStatistics statistics = window_statistics(facts.points, window);
  facts.statistics = statistics.categories;
  facts.total = statistics.total;
  facts.peak = find_peak(facts, window);
  facts.out_of_memory = explain_failures(facts, run, ops, layers);
  if (run.cross_checked) facts.cross_check = cross_check(run, facts.points);
  if (!run.saved.empty()) facts.truth = compare_with_truth(table, ops, evidence, method.rules);
  return facts;
}

Facts analyse(const std::filesystem::path& run_directory, std::optional<std::uint64_t> rank) {
  return analyse(read_run(run_directory, rank));
}

}  // namespace strata::analysis

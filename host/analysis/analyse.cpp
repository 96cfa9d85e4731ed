// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/analyse.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "host/analysis/allocator/caching_allocator.hpp"
#include "host/analysis/allocator/other_memory.hpp"
#include "host/analysis/allocator/places.hpp"
#include "host/analysis/attribution/equal_steps.hpp"
#include "host/analysis/attribution/layers.hpp"
#include "host/analysis/attribution/snapshot_notes.hpp"
#include "host/analysis/checks/cross_check.hpp"
#include "host/analysis/checks/layer_estimate.hpp"
#include "host/analysis/checks/stats_check.hpp"
#include "host/analysis/checks/truth.hpp"
#include "host/analysis/facts/warning.hpp"
#include "host/analysis/layers/layer_tree.hpp"
#include "host/analysis/layers/repeated_blocks.hpp"
#include "host/analysis/memory/statistics.hpp"
#include "host/analysis/memory/timeline.hpp"
#include "host/analysis/peak/out_of_memory.hpp"
#include "host/analysis/peak/peak.hpp"
#include "host/analysis/reading/run_reader.hpp"
#include "host/analysis/steps/last_step.hpp"
#include "host/analysis/steps/open_phases.hpp"
#include "host/analysis/steps/pace.hpp"
#include "host/analysis/steps/step_peaks.hpp"
#include "host/analysis/steps/thinned.hpp"
#include "host/analysis/steps/window.hpp"
#include "host/analysis/time/time_facts_of.hpp"
#include "host/analysis/warm_up/steady_state.hpp"
#include "host/analysis/warm_up/warm_up.hpp"
#include "strata/events.h"
#include "strata/ext/phase.h"
#include "strata/ext/tensor.h"

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

std::vector<StepFact> step_facts(const Recording& run, std::int64_t worked_until_ns,
                                 const std::vector<Point>& points, const OpenPhases& phases) {
  auto epoch = run.epochs.begin();
  std::int64_t current_epoch = -1;
  std::vector<StepFact> facts;
  facts.reserve(run.steps.size());
  for (const StepRow& row : run.steps) {
    for (; epoch != run.epochs.end() && epoch->sequence <= row.begin_sequence; ++epoch)
      current_epoch = epoch->epoch;
    facts.push_back({.index = row.step,
                     .schedule = row.schedule,
                     .begin_sequence = row.begin_sequence,
                     .end_sequence = row.end_sequence,
                     .begin_ns = row.begin_ns,
                     .end_ns = row.end_ns,
                     .loss = row.loss,
                     .tokens = row.tokens,
                     .complete = is_complete(run, row),
                     .epoch = current_epoch});
  }
  if (!facts.empty()) facts.back().worked_until_ns = worked_until_ns;
  find_step_peaks(points, phases, facts);
  for (StepFact& step : facts) {
    step.peak_reserved_bytes = run.reserved.empty()
                                   ? step.peak_allocated_bytes
                                   : most_reserved(run.reserved, step.begin_sequence, step.end_sequence);
  }
  use_thinned_peaks(run, facts);
  for (StepFact& step : facts) {
    if (!step.thinned) continue;
    const auto phase = phases.innermost(step.peak_sequence);
    step.peak_phase = phase ? *phase + 1 : 0;
  }
  return facts;
}

std::vector<TimedStep> step_times(const std::vector<StepFact>& steps) {
  std::vector<TimedStep> times;
  for (const StepFact& step : steps) {
    if (step.complete) times.push_back({step.index, static_cast<double>(step.duration_ns())});
  }
  return times;
}

bool has_no_forward(const Recording& run) {
  return std::ranges::none_of(run.phases,
                              [](const PhaseRow& phase) { return phase.kind == STRATA_PHASE_FORWARD; });
}

// In a long run each of these takes hundreds of megabytes.
template <typename Rows>
void give_back(Rows& rows) {
  rows = Rows();
}

// `blocks` are those of `table`, by index. Only parameters that are there in the last backward: DeepSpeed
// moves a model's parameters into one block before it trains.
void warn_of_untrained(const Recording& run, const BlockTable& table, const std::vector<Block>& blocks,
                       const std::vector<std::string>& texts, std::vector<Warning>& warnings) {
  std::vector<bool> is_trained(table.blocks.size());
  bool has_states = false;
  for (const BlockHistory& block : table.blocks) {
    if (block.parameter == kNoBlock) continue;
    is_trained[block.parameter] = true;
    has_states = has_states || block.role == STRATA_TENSOR_OPTIMIZER_STATE;
  }
  std::uint64_t last_backward = 0;
  for (const PhaseRow& phase : run.phases)
    if (phase.kind == STRATA_PHASE_BACKWARD) last_backward = std::max(last_backward, phase.begin_sequence);
  if (!has_states || last_backward == 0) return;
  // FSDP2 uses an unsharded copy in forward, with the name of the shard that is trained.
  std::set<std::string_view> trained_names;
  for (std::size_t index = 0; index < blocks.size(); ++index)
    if (is_trained[index]) trained_names.insert(texts[blocks[index].name]);
  UntrainedParameters untrained;
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const Block& block = blocks[index];
    if (block.kind != BlockKind::kParameter || block.is_frozen || is_trained[index]) continue;
    if (!block.is_alive_at(last_backward)) continue;
    if (trained_names.contains(texts[block.name])) continue;
    if (untrained.count++ == 0) untrained.first_name = texts[block.name];
    untrained.bytes += block.bytes;
  }
  if (untrained.count > 0) warnings.emplace_back(untrained);
}

}  // namespace

Facts analyse(Recording run, const Method& method) {
  run.step_detail = share_operators_of_equal_steps(run);
  BlockTable table = build_blocks(run);
  give_back(run.memory);
  const OpTable ops(run);
  const StepStructure structure(run);
  EvidenceGatherer evidence(run, table, ops, structure);
  const bool ran_out = ended_out_of_memory(run, table);
  if (ran_out) evidence.forget_after(run.failures.back().sequence);
  Texts texts = run.texts;

  Facts facts;
  static_cast<RunFacts&>(facts) = run;
  facts.directory = run.directory.string();
  facts.device = device_name(run.device);
  // A program that lets the exception through is one that failed, to the process that started it, or, of
  // C++, one that was killed: by abort().
  const bool fell = run.end == RunEnd::kFailed || run.end == RunEnd::kKilled;
  if ((ran_out || run.ran_out_elsewhere) && fell) facts.end = RunEnd::kOutOfMemory;
  facts.call_stacks = std::move(run.call_stacks);
  facts.other_memory = run.other_memory;
  facts.allocator_settings = run.allocator_settings.value_or("");
  facts.reserved = run.reserved;
  facts.samples = std::move(run.samples);
  facts.warnings.insert(facts.warnings.end(), table.warnings.begin(), table.warnings.end());

  const Window recorded = active_window(run, facts.warnings);
  const Window window = whole_steps(run, recorded);
  if (!run.thinned.is_empty())
    facts.warnings.insert(facts.warnings.begin(),
                          ThinnedWindow{run.thinned.intervals, window.first_step, window.last_step});
  if (!run.is_configured && !run.snapshot && !ran_out && has_no_forward(run))
    facts.warnings.emplace_back(UnseenForward{});
  facts.first_step = window.first_step;
  facts.last_step = window.last_step;
  facts.window_begin_ns = window.begin_ns;
  facts.window_end_ns = window.end_ns;
  facts.window_begin_sequence = window.begin_sequence;
  facts.window_end_sequence = window.end_sequence;

  const LastWork last = last_work(run, table.changes);
  Window timed = window;
  if (!run.steps.empty()) {
    run.steps.back().worked_until_ns = last.device_ns;
    if (window.last_step == run.steps.back().step) timed.end_ns = std::min(timed.end_ns, last.device_ns);
  }
  facts.time = time_facts(run, timed);

  const Layers layers(run, ops, method.forward_key);
  TensorForms forms;
  facts.blocks = attribute(table, ops, structure, evidence, layers, method, texts, forms);
  if (run.snapshot) use_snapshot_notes(run, texts, facts.blocks);
  facts.texts = texts.all();
  facts.repeated_block_lengths = repeated_block_lengths(facts);
  facts.forms = forms.all();
  if (!run.saved.empty()) facts.truth = compare_with_truth(table, ops, evidence, method.rules);
  if (!run.is_configured) warn_of_untrained(run, table, facts.blocks, facts.texts, facts.warnings);
  facts.block_places = std::move(table.places);
  give_back(table.blocks);
  facts.points = make_timeline(facts.blocks, table.changes);
  give_back(table.changes);
  drop_thinned_points(run.thinned, facts.points);
  facts.phases = phase_facts(run, structure);
  facts.steps = step_facts(run, last.host_ns, facts.points, OpenPhases(facts.phases));
  facts.pace = window_pace(facts.steps, facts.first_step, facts.last_step);
  facts.steady_state = find_steady_state(step_times(facts.steps));
  facts.warm_up = explain_warm_up(facts.steps, facts.steady_state, run);
  const WindowStatistics statistics = window_statistics(facts.points, window);
  facts.statistics = statistics.categories;
  facts.total = statistics.total;
  facts.peak = find_peak(facts, recorded);
  facts.places = places_at(facts, facts.peak.sequence);
  facts.peak_context = peak_context(facts, facts.peak);
  facts.layers = layer_tree(facts, facts.peak.sequence, facts.peak_context.interval);
  for (const FailureRow& failure : run.failures) facts.failed_at.push_back(failure.sequence);
  facts.failed_forwards = failed_forwards(facts, run);
  facts.out_of_memory = explain_failures(facts, run, ops, layers);
  if (run.cross_checked) facts.cross_check = cross_check(run, facts.points);
  if (run.stats_recorded && run.device.type == STRATA_DEVICE_CUDA)
    facts.stats_check = check_stats(facts, run.device_stats);
  facts.layer_estimate = estimate_from_layers(facts, run);
  return facts;
}

Facts analyse(const std::filesystem::path& run_directory, std::optional<std::uint64_t> rank,
              const std::string& device) {
  return analyse(read_run(run_directory, rank, ReadingDetail::kReport, device));
}

}  // namespace strata::analysis

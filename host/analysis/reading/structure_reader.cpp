// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/reading/table_readers.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "strata/ext/phase.h"

namespace strata::analysis {
namespace {

template <typename Rows>
void sort_by_begin(Rows& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const auto& left, const auto& right) {
    return left.begin_sequence < right.begin_sequence;
  });
}

using Need = TableReader::Need;

class StructureReader {
 public:
  StructureReader(TableReader& tables, Recording& run) : tables_(tables), run_(run) {}

  // A program may begin a step again, or one with a lower number: neither counts as a new step.
  void read_steps() {
    std::vector<StepRow> begun;
    tables_.each("host_step_begin", Need::kExpected, {"sequence", "monotonic_ns", "step", "schedule"},
                 [&](const Row& row) {
                   StepRow& step = begun.emplace_back();
                   step.begin_sequence = row.bits(0);
                   step.begin_ns = tables_.time_ns(row, 1);
                   step.step = row.integer(2);
                   step.schedule = row.small(3);
                   if (step.step < 0) tables_.refuse("a step has a negative number");
                 });
    sort_by_begin(begun);
    constexpr std::size_t kLeftOut = SIZE_MAX;
    std::unordered_map<std::int64_t, std::size_t> kept;
    for (const StepRow& step : begun) {
      const bool is_behind = !run_.steps.empty() && step.step < run_.steps.back().step;
      if (!kept.emplace(step.step, is_behind ? kLeftOut : run_.steps.size()).second) {
        tables_.warn("step {} begins twice", step.step);
      } else if (is_behind) {
        tables_.warn("step {} begins after step {}, and is left out", step.step, run_.steps.back().step);
      } else {
        run_.steps.push_back(step);
      }
    }
    tables_.each("host_step_end", Need::kExpected, {"sequence", "monotonic_ns", "step", "loss", "tokens"},
                 [&](const Row& row) {
                   const auto found = kept.find(row.integer(2));
                   if (found == kept.end())
                     return tables_.warn("step {} ends, but never began", row.integer(2));
                   if (found->second == kLeftOut) return;
                   StepRow& step = run_.steps[found->second];
                   if (row.bits(0) > step.end_sequence) return;  // of a second begin
                   close(step, row.bits(0), tables_.time_ns(row, 1));
                   step.loss = row.real(3);
                   step.tokens = row.bits(4);
                 });
  }

  void read_phases() {
    std::unordered_map<std::uint32_t, std::size_t> open;
    tables_.each(
        "host_phase_begin", Need::kExpected,
        {"sequence", "monotonic_ns", "phase", "parent", "kind", "name", "step", "micro_batch", "inferred"},
        [&](const Row& row) {
          PhaseRow phase;
          phase.begin_sequence = row.bits(0);
          phase.begin_ns = tables_.time_ns(row, 1);
          phase.ordinal = row.small(2);
          phase.parent = row.small(3);
          phase.kind = row.small(4);
          phase.name = tables_.text(row, 5);
          phase.step = row.integer(6);
          phase.micro_batch = row.small(7);
          phase.inferred = row.small(8) != 0;
          if (!open.emplace(phase.ordinal, run_.phases.size()).second) {
            return tables_.warn("phase {} begins twice", phase.ordinal);
          }
          run_.phases.push_back(phase);
        });
    tables_.each("host_phase_end", Need::kExpected, {"sequence", "monotonic_ns", "phase"},
                 [&](const Row& row) {
                   const auto begun = open.find(row.small(2));
                   if (begun == open.end())
                     return tables_.warn("phase {} ends, but never began", row.small(2));
                   close(run_.phases[begun->second], row.bits(0), tables_.time_ns(row, 1));
                 });
    sort_by_begin(run_.phases);
  }

  static bool is_aside(std::uint32_t kind) {
    return kind == STRATA_PHASE_EVALUATION || kind == STRATA_PHASE_CHECKPOINT_SAVE ||
           kind == STRATA_PHASE_SETUP;
  }

  // In an unmarked loop the last step begins with an apparent next one: the loader that finds no more
  // batches. It is dropped if nothing was trained in it: a marked part after the loop, such as an evaluation,
  // belongs to no step.
  void leave_out_inferred_tail() {
    if (run_.steps.empty()) return;
    const StepRow& last = run_.steps.back();
    bool is_inferred = false, has_computed = false;
    for (const PhaseRow& phase : run_.phases) {
      if (phase.step != last.step) continue;
      is_inferred |= phase.inferred;
      has_computed |= phase.inferred ? phase.kind != STRATA_PHASE_DATA && phase.kind != STRATA_PHASE_ZERO_GRAD
                                     : !is_aside(phase.kind);
    }
    if (!is_inferred || has_computed) return;
    for (PhaseRow& phase : run_.phases) {
      if (phase.step == last.step) phase.step = -1;
    }
    run_.steps.pop_back();
    if (!run_.steps.empty()) run_.steps.back().is_followed = true;
  }

  template <typename Range>
  void close(Range& range, std::uint64_t sequence, std::int64_t ns) {
    if (sequence < range.begin_sequence) tables_.refuse("a step or a phase ends before it begins");
    range.end_sequence = sequence;
    range.end_ns = std::max(ns, range.begin_ns);
  }

  void read_modules() {
    std::unordered_map<std::uint32_t, std::size_t> open;
    tables_.each("host_module_begin", Need::kOptional,
                 {"sequence", "module", "parent", "direction", "path", "monotonic_ns", "thread"},
                 [&](const Row& row) {
                   ModuleRow module;
                   module.ordinal = row.small(1);
                   module.parent = row.small(2);
                   module.direction = row.small(3);
                   module.path = tables_.text(row, 4);
                   module.begin_sequence = row.bits(0);
                   module.begin_ns = tables_.time_ns(row, 5);
                   module.thread = row.small(6);
                   if (!open.emplace(module.ordinal, run_.modules.size()).second) {
                     return tables_.warn("module range {} begins twice", module.ordinal);
                   }
                   if (module.path == 0) module.path = run_.texts.add(kModelItself);
                   run_.modules.push_back(module);
                 });
    tables_.each("host_module_end", Need::kOptional, {"sequence", "module", "monotonic_ns"},
                 [&](const Row& row) {
                   const auto begun = open.find(row.small(1));
                   if (begun == open.end()) return;
                   ModuleRow& module = run_.modules[begun->second];
                   module.end_sequence = row.bits(0);
                   module.end_ns = std::max(tables_.time_ns(row, 2), module.begin_ns);
                 });
    sort_by_begin(run_.modules);
  }

 private:
  TableReader& tables_;
  Recording& run_;
};

}  // namespace

void read_structure(TableReader& tables, Recording& run) {
  StructureReader reader(tables, run);
  reader.read_steps();
  reader.read_phases();
  reader.leave_out_inferred_tail();
  reader.read_modules();
}

}  // namespace strata::analysis

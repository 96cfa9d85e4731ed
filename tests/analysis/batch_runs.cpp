// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/batch_runs.hpp"

#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"
#include "tests/analysis/run_builder.hpp"

namespace strata::analysis::testing {

using enum Category;

namespace {

TrainingRun with_inferred_optimizers(RunBuilder& run) {
  Recording recording = run.finish();
  for (PhaseRow& phase : recording.phases) phase.inferred = phase.kind == STRATA_PHASE_OPTIMIZER;
  return {recording, run.expected()};
}

}  // namespace

TrainingRun make_nameless_optimizer_run() {
  RunBuilder run;
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  std::uint64_t batch = 0, replaced = 0;
  for (std::int64_t step = 0; step < 2; ++step) {
    run.step(step, STRATA_STEP_ACTIVE, [&] {
      run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
        if (step == 1) run.free(replaced);
        const std::uint64_t state = run.allocate(
            64,
            {kOptimizerState, "state", "", step == 0 ? "optimizer_state_left" : "optimizer_state_at_end"});
        if (step == 1) return;
        replaced = state;
        batch = run.allocate(24, {kInput, "input", "", "batch_behind_optimizer"});
      });
      if (step == 1) run.free(batch);
    });
  }
  return with_inferred_optimizers(run);
}

// A generator and a critic in C++: the inference finds a step for each optimizer, and a batch lives for one
// iteration of the loop, which is two steps.
TrainingRun make_nameless_optimizers_run() {
  RunBuilder run;
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  std::uint64_t batch = 0;
  for (std::int64_t step = 0; step < 8; ++step) {
    run.step(step, STRATA_STEP_ACTIVE, [&] {
      run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
        if (step < 2) run.allocate(64, {kOptimizerState, "state", "", "optimizer_state_left"});
        if (step % 2 == 0) return;
        if (batch != 0) run.free(batch);
        batch = step == 7 ? 0 : run.allocate(24, {kInput, "input", "", "batch_behind_optimizer"});
      });
    });
  }
  return with_inferred_optimizers(run);
}

// Two optimizers in each step that the program marks.
TrainingRun make_two_optimizers_run() {
  RunBuilder run;
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  std::uint64_t before = 0;
  for (std::int64_t step = 0; step < 3; ++step) {
    run.step(step, STRATA_STEP_ACTIVE, [&] {
      const std::uint64_t batch = run.allocate(24, {kInput, "input", "", "batch_before_forward"});
      const std::uint64_t assigned = run.allocate(40, Expected{kInput, "input", "", "batch_before_forward"});
      if (step > 0) run.free(before);
      before = assigned;
      for (int optimizer = 0; optimizer < 2; ++optimizer) {
        run.phase(STRATA_PHASE_FORWARD, "forward", [] {});
        run.phase(STRATA_PHASE_BACKWARD, "backward", [] {});
        run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [] {});
      }
      run.free(batch);
    });
  }
  return {run.finish(), run.expected()};
}

TrainingRun make_unmarked_batch_run() {
  RunBuilder run;
  const Expected of_evaluation{kActivation, "forward_residue", "", "forward_alone"};
  run.phase(STRATA_PHASE_SETUP, "setup", [&] {
    run.op("aten::mm", [&] { run.allocate(128, of_evaluation); });
    run.op("aten::randn", [&] {
      run.tensor(STRATA_TENSOR_INPUT, "observations", run.allocate(144, {kInput, "input", "", "input"}));
    });
  });
  std::uint64_t before = 0, evaluated = 0;
  for (std::int64_t step = 0; step < 3; ++step) {
    run.step(step, STRATA_STEP_ACTIVE, [&] {
      const std::uint64_t batch = run.allocate(24, {kInput, "input", "", "batch_before_forward"});
      // A loop that assigns each batch to the same variable.
      const std::uint64_t assigned = run.allocate(40, Expected{kInput, "input", "", "batch_before_forward"});
      if (step > 0) run.free(before);
      before = assigned;
      const std::uint64_t attacked = run.allocate(120, {kInput, "input", "", "leaf_input"});
      run.tensor(STRATA_TENSOR_PARAMETER, "parameter 0", attacked);
      run.free(run.allocate(56, {kTemporary, "op_temp", "", "between_temp"}));
      std::uint64_t wanted = 0;
      run.module("teacher", [&] {
        run.module("head", [&] {
          run.free(run.allocate(56, {kTemporary, "op_temp", "head", "between_temp"}));
          wanted = run.allocate(80, {kActivation, "forward_residue", "head", "forward_before"});
        });
      });
      const std::uint64_t turned = run.allocate(72, {kTemporary, "op_temp", "", "between_temp"});
      std::uint64_t product = 0, moved = 0, scaled = 0;
      run.op("aten::addmm", [&] {
        product = run.allocate(96, {kActivation, "forward_residue", "", "forward_before"});
      });
      run.module("student", [&] {
        run.op("aten::_to_copy", [&] {
          moved = run.allocate(104, {kInput, "input", "student", "batch_before_forward"});
        });
        run.op("aten::div", [&] {
          scaled = run.allocate(112, {kActivation, "forward_residue", "student", "forward_before"});
        });
        run.phase(STRATA_PHASE_FORWARD, "forward", [&] { run.free(turned); });
      });
      // A frozen embedding with requires_grad set, and a layer; in the last step the layer is still alive.
      std::uint64_t embedded = 0, added = 0;
      run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
        run.op("aten::embedding", [&] {
          embedded = run.allocate(152, {kActivation, "saved", "", "leaf_activation"});
        });
        run.module("positions", [&] {
          added = run.allocate(160, {kActivation, "saved", "positions", "leaf_activation"});
        });
      });
      run.tensor(STRATA_TENSOR_PARAMETER, "parameter 1", embedded);
      run.tensor(STRATA_TENSOR_PARAMETER, "parameter 2", added);
      if (step < 2) run.free(added);
      run.phase(STRATA_PHASE_BACKWARD, "backward", [] {});
      run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [] {});
      for (const std::uint64_t block : {batch, wanted, product, moved, scaled, attacked, embedded})
        run.free(block);
      run.free(run.allocate(88, {kTemporary, "op_temp", "", "between_temp"}));
      if (step == 0)
        run.op("aten::randn", [&] { run.allocate(144, {kInput, "input", "", "batch_of_several_steps"}); });
      if (step == 1) return;
      // An evaluation after every second step, in a variable that the next evaluation reassigns.
      if (step == 2) run.free(evaluated);
      run.op("aten::addmm", [&] { evaluated = run.allocate(136, of_evaluation); });
    });
  }
  return {run.finish(), run.expected()};
}

}  // namespace strata::analysis::testing

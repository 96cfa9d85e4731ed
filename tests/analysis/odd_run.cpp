// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/odd_run.hpp"

#include <array>

#include "strata/ext/module.h"
#include "strata/ext/op.h"
#include "strata/ext/phase.h"
#include "strata/ext/step.h"
#include "strata/ext/tensor.h"

namespace strata::analysis::testing {
namespace {

using enum Category;

Expected unknown(std::string_view rule) {
  return {kUnknown, "unattributed", "", rule};
}

struct Role {
  std::uint32_t role;
  Expected expected;
};

// Alive from setup to the end, known only by registration.
void register_every_role(RunBuilder& run) {
  const std::array<Role, 18> roles{{
      {STRATA_TENSOR_PARAMETER, {kParameter, "parameter", "block", "parameter"}},
      {STRATA_TENSOR_BUFFER, {kParameter, "buffer", "block", "buffer"}},
      {STRATA_TENSOR_EMA, {kParameter, "ema", "block", "ema"}},
      {STRATA_TENSOR_GRADIENT, {kGradient, "gradient", "block", "gradient"}},
      {STRATA_TENSOR_OPTIMIZER_STATE, {kOptimizerState, "state", "block", "optimizer_state"}},
      {STRATA_TENSOR_PROJECTOR, {kOptimizerState, "projector", "block", "projector"}},
      {STRATA_TENSOR_SCALER, {kOptimizerState, "scaler", "block", "scaler"}},
      {STRATA_TENSOR_INPUT, {kInput, "input", "block", "input"}},
      {STRATA_TENSOR_TARGET, {kInput, "target", "block", "target"}},
      {STRATA_TENSOR_PREFETCH, {kInput, "prefetch", "block", "prefetch"}},
      {STRATA_TENSOR_LOGITS, {kActivation, "logits", "block", "logits"}},
      {STRATA_TENSOR_LOSS, {kActivation, "loss", "block", "loss"}},
      {STRATA_TENSOR_BUCKET, {kGradient, "bucket", "block", "bucket"}},
      {STRATA_TENSOR_WORKSPACE, {kTemporary, "workspace", "block", "kept_workspace"}},
      {STRATA_TENSOR_CHECKPOINT_INPUT, {kActivation, "checkpoint_input", "block", "checkpoint_input"}},
      {STRATA_TENSOR_OFFLOADED, {kActivation, "offloaded", "block", "offloaded"}},
      {STRATA_TENSOR_COPY, {kParameter, "weight_copy", "block", "weight_copy"}},
      {STRATA_TENSOR_USED_COPY, {kParameter, "weight_copy", "block", "used_copy"}},
  }};
  for (const Role& role : roles) {
    const std::uint64_t block = run.allocate(4096, role.expected);
    run.tensor(role.role, "block.tensor", block);
  }
}

// Copies made by autocast: of a parameter, of another registered tensor, and of an unregistered one.
void register_casts(RunBuilder& run) {
  const std::uint64_t weight = run.allocate(4096, {kParameter, "parameter", "head", "parameter"});
  const std::uint64_t table = run.allocate(96, {kParameter, "buffer", "head", "buffer"});
  const std::uint64_t copy = run.allocate(2048, {kActivation, "autocast_copy", "head", "autocast_copy"});
  const std::uint64_t cast_table = run.allocate(48, unknown("unknown_setup"));
  const std::uint64_t source = run.allocate(64, unknown("unknown_setup"));
  const std::uint64_t cast = run.allocate(32, unknown("unknown_setup"));
  run.tensor(STRATA_TENSOR_AUTOCAST_COPY, "bfloat16", copy, weight);
  run.tensor(STRATA_TENSOR_AUTOCAST_COPY, "bfloat16", cast_table, table);
  run.tensor(STRATA_TENSOR_AUTOCAST_COPY, "bfloat16", cast, source);
  // Owners may be registered after their copies.
  run.tensor(STRATA_TENSOR_PARAMETER, "head.weight", weight);
  run.tensor(STRATA_TENSOR_BUFFER, "head.table", table);
}

// Copies made by the program: of a parameter, of a gradient, and of another tensor.
void register_copies(RunBuilder& run) {
  const std::uint64_t weight = run.allocate(4096, {kParameter, "parameter", "head", "parameter"});
  const std::uint64_t gradient = run.allocate(4096, {kGradient, "gradient", "head", "gradient"});
  const std::uint64_t batch = run.allocate(512, {kInput, "input", "", "input"});
  const std::uint64_t kept = run.allocate(4096, {kParameter, "weight_copy", "head", "weight_copy"});
  const std::uint64_t kept_gradient = run.allocate(4096, {kGradient, "gradient", "head", "gradient_copy"});
  const std::uint64_t kept_batch = run.allocate(512, unknown("unknown_setup"));
  run.tensor(STRATA_TENSOR_COPY, "copy", kept, weight);
  run.tensor(STRATA_TENSOR_COPY, "copy", kept_gradient, gradient);
  run.tensor(STRATA_TENSOR_COPY, "copy", kept_batch, batch);
  run.tensor(STRATA_TENSOR_PARAMETER, "head.weight", weight);
  run.tensor(STRATA_TENSOR_GRADIENT, "head.weight.grad", gradient, weight);
  run.tensor(STRATA_TENSOR_INPUT, "batch", batch);
}

constexpr std::uint64_t kPool = std::uint64_t{1} << 32;

// A temporary, and a block that outlives the phase.
std::uint64_t temporary_and_kept(RunBuilder& run, std::uint32_t kind, const Expected& temporary,
                                 const Expected& kept) {
  std::uint64_t block = 0;
  run.phase(kind, "phase", [&] {
    run.free(run.allocate(100, temporary));
    block = run.allocate(200, kept);
  });
  return block;
}

// fully_shard gathers a layer's weight for its forward and reduces its gradient in backward.
std::uint64_t gather(RunBuilder& run) {
  std::uint64_t gathered = 0;
  run.op("FSDP::all_gather (0)", [&] {
    run.op("aten::empty", [&] { run.free(run.allocate(144, {kTemporary, "comm", "", "sharding_temp"})); });
  });
  run.op("FSDP::all_gather_copy_out (0)", [&] {
    gathered = run.allocate(136, {kParameter, "gathered", "", "gathered"});
  });
  return gathered;
}

std::uint64_t reduce(RunBuilder& run) {
  std::uint64_t kept = 0;
  run.op("FSDP::post_backward_reduce (0)", [&] {
    run.free(run.allocate(144, {kTemporary, "comm", "", "sharding_temp"}));
    kept = run.allocate(152, {kGradient, "gradient", "", "sharded_gradient"});
  });
  return kept;
}

}  // namespace

TrainingRun make_odd_run() {
  RunBuilder run;
  std::uint64_t state_left = 0, data_ahead = 0, between = 0, batch = 0;
  run.phase(STRATA_PHASE_SETUP, "setup", [&] {
    register_every_role(run);
    register_casts(run);
    register_copies(run);
    run.in_pool(kPool, [&] {
      const std::uint64_t cache = run.allocate(24, {kTemporary, "graph_pool", "", "graph_pool"});
      run.tensor(STRATA_TENSOR_INPUT, "cache", cache);
      run.allocate(16, {kTemporary, "graph_pool", "", "graph_pool"});
      run.free(run.allocate(8, {kTemporary, "op_temp", "", "setup_temp"}));
    });
    run.free(run.allocate(8, {kTemporary, "op_temp", "", "setup_temp"}));
    run.allocate(16, unknown("unknown_setup"));
  });
  for (std::int64_t step = 0; step < 2; ++step) {
    run.step(step, STRATA_STEP_ACTIVE, [&] {
      if (step == 1) {
        run.free(data_ahead);
        run.free(between);
      }
      std::uint64_t kept = 0, residue = 0, captured = 0, gathered = 0, reduced = 0, replica = 0;
      run.phase(STRATA_PHASE_DATA, "data", [&] {
        kept = run.allocate(32, {kInput, "input", "", "data_kept"});
        if (step == 0) data_ahead = run.allocate(32, {kInput, "prefetch", "", "data_ahead"});
      });
      run.phase(STRATA_PHASE_OTHER, "train_step", [&] {
        run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
          residue = run.allocate(72, {kActivation, "forward_residue", "", "forward_residue"});
          gathered = gather(run);
          run.op("Broadcast", [&] {
            replica = run.allocate(4096, {kParameter, "weight_copy", "", "replica"});
          });
          run.in_pool(kPool, [&] {
            run.allocate(72, {kTemporary, "graph_pool", "", "graph_pool"});
            captured = run.allocate(88, {kActivation, "saved", "", "activation"});
          });
        });
        run.free(run.allocate(48, {kTemporary, "op_temp", "", "forward_temp"}));  // an unmarked gap
        run.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
          run.free(captured);
          run.free(gathered);
          run.free(replica);
          reduced = reduce(run);
          if (step == 1) return;
          run.in_pool(kPool, [&] {
            run.allocate(4096, {kGradient, "gradient", "", "gradient_left"});
            run.allocate(40, {kTemporary, "graph_pool", "", "graph_pool"});
          });
          run.allocate(4096, {kGradient, "gradient", "", "gradient_left"});
          run.allocate(40, unknown("unknown_backward"));
          run.op(
              "aten::tanh_backward",
              [&] {
                run.allocate(40, {kActivation, "retained", "", "backward_graph"});
              },
              STRATA_OP_FORWARD, 7);
          run.module(
              "block",
              [&] {
                run.free(run.allocate(56, {kTemporary, "op_temp", "block", "recompute_temp"}));
              },
              STRATA_MODULE_RECOMPUTE);
        });
      });
      const std::array<std::uint64_t, 7> blocks = {
          temporary_and_kept(run, STRATA_PHASE_GRADIENT_SYNC, {kTemporary, "comm", "", "gradient_sync_temp"},
                             {kTemporary, "comm", "", "gradient_sync_kept"}),
          temporary_and_kept(run, STRATA_PHASE_CLIP, {kTemporary, "op_temp", "", "clip_temp"},
                             {kTemporary, "op_temp", "", "clip_temp"}),
          temporary_and_kept(run, STRATA_PHASE_OPTIMIZER,
                             {kTemporary, "optimizer_temp", "", "optimizer_temp"},
                             unknown("unknown_optimizer")),
          temporary_and_kept(run, STRATA_PHASE_ZERO_GRAD, {kTemporary, "op_temp", "", "zero_grad_temp"},
                             unknown("unknown")),
          temporary_and_kept(run, STRATA_PHASE_EVALUATION, {kTemporary, "op_temp", "", "evaluation_temp"},
                             {kActivation, "forward_residue", "", "evaluation_residue"}),
          temporary_and_kept(run, STRATA_PHASE_CHECKPOINT_SAVE,
                             {kTemporary, "op_temp", "", "checkpoint_save_temp"}, unknown("unknown")),
          temporary_and_kept(run, STRATA_PHASE_OTHER, {kTemporary, "op_temp", "", "other_temp"},
                             unknown("unknown")),
      };
      for (const std::uint64_t block : blocks) run.free(block);
      run.free(residue);
      run.free(reduced);
      run.free(kept);
      run.free(run.allocate(24, {kTemporary, "op_temp", "", "between_temp"}));
      if (step == 0) {
        between = run.allocate(24, unknown("unknown_between"));
        run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
          run.in_pool(kPool, [&] {
            run.allocate(64, {kOptimizerState, "state", "", "optimizer_state_left"});
          });
          state_left = run.allocate(64, {kOptimizerState, "state", "", "optimizer_state_left"});
        });
        batch = run.allocate(24, {kInput, "input", "", "batch_between"});
      } else {
        run.free(batch);
        run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
          run.allocate(64, {kOptimizerState, "state", "", "optimizer_state_at_end"});
        });
        run.free(state_left);
      }
    });
  }
  return {run.finish(), run.expected()};
}

TrainingRun make_retained_run() {
  RunBuilder run;
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    std::uint64_t held = 0, dropped = 0, saved = 0, recomputed = 0;
    std::uint64_t hold = 0;
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      held = run.allocate(1000, {kActivation, "retained", "", "saved_retained"});
      hold = run.save(held);
      dropped = run.allocate(2000, {kActivation, "saved", "", "saved"});  // its graph is discarded
      const std::uint64_t let_go = run.save(dropped);
      run.release(let_go);
      run.free(dropped);
      saved = run.allocate(3000, {kActivation, "saved", "", "saved"});
    });
    const std::uint64_t last = run.save(saved);
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] {
      run.release(last);
      run.free(saved);
      run.phase(STRATA_PHASE_FORWARD, "recompute", [&] {
        recomputed = run.allocate(4000, {kActivation, "recompute", "", "saved_recompute"});
        run.save(recomputed);
        run.free(recomputed);
      });
    });
    run.release(hold);
    run.free(held);
  });
  return {run.finish(), run.expected()};
}

TrainingRun make_cut_short_run() {
  RunBuilder run;
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    run.allocate(40, {kInput, "input", "", "batch_cut_short"});
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      run.free(run.allocate(10, {kTemporary, "op_temp", "", "forward_only_temp"}));
      run.allocate(20, {kActivation, "forward_residue", "", "forward_cut_short"});
    });
  });
  const std::uint64_t last_event = run.sequence() - 2;  // before the phase and the step end
  return {killed_after(run.finish(), last_event), run.expected()};
}

TrainingRun make_cut_short_optimizer_run() {
  RunBuilder run;
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
      run.op("aten::zeros_like", [&] {
        run.op("aten::empty_like", [&] {
          run.allocate(30, {kOptimizerState, "state", "", "optimizer_state_at_end"});
        });
      });
      run.op("aten::_foreach_sqrt", [&] {
        run.allocate(40, {kTemporary, "optimizer_temp", "", "optimizer_cut_short"});
      });
    });
  });
  const std::uint64_t last_event = run.sequence() - 2;  // before the phase and the step end
  return {killed_after(run.finish(), last_event), run.expected()};
}

// In an evaluation after the step's optimizer.
TrainingRun make_cut_short_behind_optimizer_run() {
  RunBuilder run;
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_FORWARD, "forward", [] {});
    run.phase(STRATA_PHASE_BACKWARD, "backward", [] {});
    run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [] {});
    run.op("aten::cat", [&] { run.allocate(40, {kTemporary, "op_temp", "", "between_cut_short"}); });
  });
  const std::uint64_t last_event = run.sequence() - 1;  // before the step ends
  return {killed_after(run.finish(), last_event), run.expected()};
}

TrainingRun make_caught_failures_run() {
  const Expected cut_short{kActivation, "forward_residue", "", "forward_cut_short"};
  const Expected temporary{kTemporary, "op_temp", "", "forward_temp"};
  RunBuilder run;
  const auto fails = [&] {
    run.free(run.allocate(10, temporary));
    const std::uint64_t first = run.allocate(200, cut_short), second = run.allocate(300, cut_short);
    run.fail(400);
    run.free(second);
    run.free(first);
  };
  std::uint64_t kept = 0;
  const auto goes_on = [&] {
    const std::uint64_t smaller = run.allocate(50, temporary);
    kept = run.allocate(100, {kActivation, "saved", "", "activation"});
    run.fail(400);
    run.free(smaller);
  };
  const auto backward = [&] {
    run.phase(STRATA_PHASE_BACKWARD, "backward", [&] { run.free(kept); });
    run.phase(STRATA_PHASE_OPTIMIZER, "optimizer", [&] {
      run.free(run.allocate(8, {kTemporary, "optimizer_temp", "", "optimizer_temp"}));
    });
  };
  run.phase(STRATA_PHASE_SETUP, "setup", [] {});
  run.step(0, STRATA_STEP_ACTIVE, [&] {
    const std::uint64_t batch = run.allocate(24, {kInput, "input", "", "batch_cut_short"});
    run.phase(STRATA_PHASE_FORWARD, "forward", [&] {
      fails();
      run.free(batch);
      fails();
      goes_on();
    });
    backward();
  });
  run.step(1, STRATA_STEP_ACTIVE, [&] {
    run.phase(STRATA_PHASE_FORWARD, "forward", fails);
    run.phase(STRATA_PHASE_FORWARD, "forward", goes_on);
    backward();
  });
  return {run.finish(), run.expected()};
}

}  // namespace strata::analysis::testing

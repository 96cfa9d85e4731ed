// SPDX-License-Identifier: Apache-2.0
// One run of the training loop: what is computed in which order, with every phase marked in the session.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <memory>
#include <optional>

#include "host/trainer/backward/graph_modules.hpp"
#include "host/trainer/checkpointing/saved_tensor_hooks.hpp"
#include "host/trainer/data/batch_loader.hpp"
#include "host/trainer/data/batch_reader.hpp"
#include "host/trainer/entry.hpp"
#include "host/trainer/loop/storage_registry.hpp"
#include "host/trainer/models/model.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/optimizers/step_in_backward.hpp"
#include "host/trainer/precision/grad_scaler.hpp"
#include "host/trainer/ranks/gradient_sync.hpp"
#include "host/trainer/ranks/rank_group.hpp"
#include "host/trainer/saving/training_state.hpp"

namespace strata::trainer {

class TrainingRun {
 public:
  // Builds the data source, the model and, to train, the optimizer, in the phase `setup`; `request.session`'s
  // run has begun. Throws DataError, std::invalid_argument or c10::Error.
  // Tells `modules`, unless it is null, what forward adds to the backward graph.
  TrainingRun(const Request& request, GraphModules* modules);

  std::uint64_t parameter_count() const { return model_->parameter_count(); }

  // Runs all steps that are left, keeping `result` up to date after each, also when it throws. Its outcome at
  // the end is kDone, or kInterrupted when `request.interrupt` was set.
  void run_steps(Result& result);

 private:
  void set_up();
  void join_ranks();
  void make_optimizer_parts(const SavedTraining* saved);
  void describe() const;
  TrainingState state() { return {*model_, *optimizer_, scaler_ ? &*scaler_ : nullptr, device_}; }

  struct StepOutcome {
    double loss;  // mean over the step
    bool optimizer_ran;
  };
  // Nothing when it was interrupted.
  std::optional<StepOutcome> run_step(std::uint64_t step);
  // The micro-batch's share of the step's mean loss.
  double run_micro_batch(std::uint32_t micro_batch);
  // The loss of all ranks, and whether they stop here.
  double agree(double loss);

  // The phases. Each drops what no later phase needs before it ends: `compute_loss` the logits and, when
  // there is no backward, the loss and with it the graph; `backward` the loss.
  struct Loss {
    at::Tensor
        tensor;  // to go backward from, scaled if the precision asks for it; undefined unless the run trains
    double value;
  };
  Loss loss_of(const Batch& batch, bool is_last);
  Batch load();
  void sync_before_forward(bool is_last);
  at::Tensor forward(const at::Tensor& input);
  Loss compute_loss(at::Tensor logits, const at::Tensor& target);
  void backward(at::Tensor loss);
  // Whether it stepped: not when gradients overflowed.
  bool step_optimizer();
  // Whether the gradients can be used, as torch.amp has it: unscaled before they are clipped, else with the
  // step.
  bool clip();
  // In backward.
  void step_parameter(const NamedParameter& parameter);
  void zero_gradients();

  // After `steps` of them.
  void save(std::uint64_t steps);
  std::vector<GeneratorStates> generators_of_ranks() const;
  bool is_save_due(std::uint64_t steps, bool at_end) const;

  // What a run saves at its end is the state between two steps: an interrupt then waits for the step's end.
  bool ends_within_step() const { return interrupted() && !config_.save.at_end; }
  // Of several ranks all stop after the same step, or they would wait for one another.
  bool interrupted() const { return ranks_ ? ranks_stop_ : asked_to_stop(); }
  bool asked_to_stop() const { return request_.interrupt.load(std::memory_order_relaxed) != 0; }
  bool trains() const { return request_.config.mode == config::Mode::kTrain; }

  // A dry device reads zeros where a loss would be.
  std::optional<double> known(double loss) const {
    return config_.device.is_dry() ? std::nullopt : std::optional(loss);
  }

  const Request& request_;
  const config::RunConfig& config_;
  Session& session_;
  GraphModules* modules_;
  c10::Device device_;
  TrainingPosition begin_;  // of this run: where the checkpoint that it resumes ends
  std::unique_ptr<BatchReader> source_;
  std::optional<HookingEngine> engine_;  // where activations are checkpointed
  std::shared_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;  // null unless the run trains
  std::optional<StepInBackward> step_in_backward_;
  std::optional<GradScaler> scaler_;           // of a loss in float16
  std::optional<RankGroup> ranks_;             // of several
  std::optional<GradientSync> gradient_sync_;  // of several that train
  bool ranks_stop_ = false;
  StorageRegistry owners_;
  std::optional<BatchLoader> loader_;  // reads `source_` and shows `owners_` until it is gone
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// One run of the training loop: the order of its computations, with every phase marked in the session.
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
  // Builds the data source, the model and, for training, the optimizer, in the phase `setup`; the run of
  // `request.session` has begun. Throws DataError, std::invalid_argument or c10::Error. Reports nodes that
  // forward adds to the backward graph to `modules`, unless null.
  TrainingRun(const Request& request, GraphModules* modules);

  std::uint64_t parameter_count() const { return model_->parameter_count(); }

  // Runs all remaining steps, updating `result` after each, also if it throws. Its final outcome is kDone, or
  // kInterrupted if `request.interrupt` was set.
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
  // Empty if it was interrupted.
  std::optional<StepOutcome> run_step(std::uint64_t step);
  // The micro-batch's share of the step's mean loss.
  double run_micro_batch(std::uint32_t micro_batch);
  // The loss of all ranks, and whether they stop now.
  double agree(double loss);

  // The phases. Before a phase ends it drops everything that later phases do not need: `compute_loss` the
  // logits and, if there is no backward, the loss with its graph; `backward` the loss.
  struct Loss {
    at::Tensor tensor;  // for backward, scaled if the precision requires it; undefined unless the run trains
    double value;
  };
  Loss loss_of(const Batch& batch, bool is_last);
  Batch load();
  void sync_before_forward(bool is_last);
  at::Tensor forward(const at::Tensor& input);
  Loss compute_loss(at::Tensor logits, const at::Tensor& target);
  void backward(at::Tensor loss);
  // Returns whether it stepped; it does not if gradients overflowed.
  bool step_optimizer();
  // Returns whether the gradients can be used, as in torch.amp: they are unscaled before clipping, otherwise
  // with the step.
  bool clip();
  // Called in backward.
  void step_parameter(const NamedParameter& parameter);
  void zero_gradients();

  // After `steps` steps.
  void save(std::uint64_t steps);
  std::vector<GeneratorStates> generators_of_ranks() const;
  bool is_save_due(std::uint64_t steps, bool at_end) const;

  // The state saved at the end must be that between two steps, so an interrupt then waits for the end of the
  // step.
  bool ends_within_step() const { return interrupted() && !config_.save.at_end; }
  // All ranks must stop after the same step, otherwise they would wait for each other.
  bool interrupted() const { return ranks_ ? ranks_stop_ : asked_to_stop(); }
  bool asked_to_stop() const { return request_.interrupt.load(std::memory_order_relaxed) != 0; }
  bool trains() const { return request_.config.mode == config::Mode::kTrain; }

  // A dry device reads zeros in place of a loss.
  std::optional<double> known(double loss) const {
    return config_.device.is_dry() ? std::nullopt : std::optional(loss);
  }

  const Request& request_;
  const config::RunConfig& config_;
  Session& session_;
  GraphModules* modules_;
  c10::Device device_;
  TrainingPosition begin_;  // where this run begins: the position of the resumed checkpoint
  std::unique_ptr<BatchReader> source_;
  std::optional<HookingEngine> engine_;  // if activations are checkpointed
  std::shared_ptr<Model> model_;
  std::unique_ptr<Optimizer> optimizer_;  // null unless the run trains
  std::optional<StepInBackward> step_in_backward_;
  std::optional<GradScaler> scaler_;           // for a loss in float16
  std::optional<RankGroup> ranks_;             // if there are several
  std::optional<GradientSync> gradient_sync_;  // if several ranks train
  bool ranks_stop_ = false;
  StorageRegistry owners_;
  std::optional<BatchLoader> loader_;  // reads `source_` and passes batches to `owners_` until destroyed
};

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
// The state of a training between two steps, as a checkpoint holds it:
//
//   format        "strata training", and format_version 1
//   step          steps taken; samples: of the data, read for them
//   config        the run's config.yaml
//   dry           the dry device's profile, whose numbers are none; else ""
//   model         {name: tensor}, parameters and buffers
//   optimizer     {parameter: {name: tensor or integer}}
//   scaler        {name: tensor}, of a loss in float16
//   gradients     the parameters that have one, which counts where gradients are kept as zeros
//   generators    {cpu: state, cuda: state}, of rank 0
//   rank_generators  {rank, as a text: the same}, of the others where there are some
#pragma once

#include <torch/nn/module.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "host/config/run_config.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/precision/grad_scaler.hpp"
#include "host/trainer/saving/archive.hpp"

namespace strata::trainer {

struct TrainingState {
  const torch::nn::Module& model;
  Optimizer& optimizer;
  GradScaler* scaler;  // null if nothing is scaled
  at::Device device;
};

// The states of torch's default generators.
struct GeneratorStates {
  at::Tensor cpu;
  at::Tensor cuda;  // undefined on the CPU

  static GeneratorStates of(at::Device device);
};

struct TrainingPosition {
  std::uint64_t steps = 0;
  std::uint64_t samples = 0;
};

// `generators` has the states of every rank, by rank; everything else is equal in all ranks. Also creates the
// folder. If it throws CheckpointError, `file` is unchanged.
void save_training(const std::filesystem::path& file, const TrainingState& state,
                   const TrainingPosition& position, const config::RunConfig& config,
                   const std::vector<GeneratorStates>& generators);

// Removes all but the newest `keep` checkpoints in a folder, by step number. 0 keeps all.
void keep_newest_checkpoints(const std::filesystem::path& folder, std::int64_t keep);

// An open checkpoint: mapped, not loaded.
class SavedTraining {
 public:
  // Throws DataError or CheckpointError if the file is not a checkpoint, or from a later version.
  explicit SavedTraining(const std::filesystem::path& file);

  const TrainingPosition& position() const { return position_; }

  // Throws CheckpointError if that run cannot continue from it, with all conflicting keys, or if there are no
  // steps left.
  void require_fit(const config::RunConfig& config) const;

  // Overwrites all of `state`, whose optimizer has not stepped yet, and the generators' states with those of
  // this `rank`. Throws CheckpointError if the file's contents contradict its description.
  void restore(const TrainingState& state, const config::RunConfig& config, std::uint32_t rank = 0) const;

 private:
  void restore_model(const torch::nn::Module& model) const;
  void restore_gradients(const TrainingState& state) const;
  void restore_generators(at::Device device, std::uint32_t rank) const;
  std::optional<Dict> generators_of(std::uint32_t rank) const;

  const c10::IValue& at(const char* name) const;
  Dict dict_at(const char* name) const;
  std::uint64_t count_at(const char* name) const;
  [[noreturn]] void refuse(std::string_view what) const;

  std::filesystem::path file_;
  Dict contents_;
  TrainingPosition position_;
};

}  // namespace strata::trainer

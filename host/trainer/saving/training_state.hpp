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
  GradScaler* scaler;  // null where nothing is scaled
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

// `generators` has the states of every rank, by its number; all else is the same in each rank. Makes the
// folder too. Throws CheckpointError, and then `file` is as it was.
void save_training(const std::filesystem::path& file, const TrainingState& state,
                   const TrainingPosition& position, const config::RunConfig& config,
                   const std::vector<GeneratorStates>& generators);

// Removes all but the newest `keep` checkpoints of a folder, by the number of their step. 0 keeps all.
void keep_newest_checkpoints(const std::filesystem::path& folder, std::int64_t keep);

// A checkpoint that is open: mapped, not loaded.
class SavedTraining {
 public:
  // Throws DataError or CheckpointError for what is none, or one of a later version.
  explicit SavedTraining(const std::filesystem::path& file);

  const TrainingPosition& position() const { return position_; }

  // Throws CheckpointError where that run cannot go on with it, with every key that forbids it, and where
  // nothing is left for it to do.
  void require_fit(const config::RunConfig& config) const;

  // Overwrites all of `state`, whose optimizer has taken no step, and the generators' states by those of this
  // `rank`. Throws CheckpointError where the file holds another training than it says.
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

// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <fmt/format.h>

#include <mutex>
#include <string>
#include <system_error>

#include "host/config/files/checkpoint_files.hpp"
#include "host/trainer/saving/checkpoint_error.hpp"
#include "host/trainer/saving/saved_format.hpp"
#include "host/trainer/saving/state_writer.hpp"
#include "host/trainer/saving/training_state.hpp"

namespace strata::trainer {
namespace {

Dict tensors_of(const torch::nn::Module& model) {
  Dict tensors = make_dict();
  for (const auto& parameter : model.named_parameters())
    tensors.insert(parameter.key(), parameter.value().detach());
  for (const auto& buffer : model.named_buffers()) tensors.insert(buffer.key(), buffer.value());
  return tensors;
}

c10::IValue gradients_of(const torch::nn::Module& model) {
  c10::impl::GenericList names(c10::StringType::get());
  for (const auto& parameter : model.named_parameters()) {
    if (parameter.value().grad().defined()) names.push_back(parameter.key());
  }
  return names;
}

at::Tensor state_of(c10::DeviceType type) {
  at::Generator generator = at::globalContext().defaultGenerator(type);
  const std::lock_guard lock(generator.mutex());
  return generator.get_state();
}

Dict dict_of(const GeneratorStates& states) {
  Dict dict = make_dict();
  dict.insert("cpu", states.cpu);
  if (states.cuda.defined()) dict.insert("cuda", states.cuda);
  return dict;
}

Dict dict_of_others(const std::vector<GeneratorStates>& states) {
  Dict dict = make_dict();
  for (std::size_t rank = 1; rank < states.size(); ++rank)
    dict.insert(std::to_string(rank), dict_of(states[rank]));
  return dict;
}

template <typename Kept>
Dict visited(Kept& kept) {
  StateWriter writer;
  kept.visit(writer);
  return writer.dict();
}

}  // namespace

GeneratorStates GeneratorStates::of(at::Device device) {
  return {.cpu = state_of(at::kCPU), .cuda = device.is_cuda() ? state_of(at::kCUDA) : at::Tensor()};
}

void save_training(const std::filesystem::path& file, const TrainingState& state,
                   const TrainingPosition& position, const config::RunConfig& config,
                   const std::vector<GeneratorStates>& generators) {
  std::error_code no_folder;
  std::filesystem::create_directories(file.parent_path(), no_folder);
  if (no_folder)
    throw CheckpointError(
        fmt::format("save: cannot create '{}': {}.", file.parent_path().string(), no_folder.message()));

  Dict contents = make_dict();
  contents.insert("format", kFormat);
  contents.insert("format_version", kFormatVersion);
  contents.insert("step", static_cast<std::int64_t>(position.steps));
  contents.insert("samples", static_cast<std::int64_t>(position.samples));
  contents.insert("config", config.resolved_yaml);
  contents.insert("dry", config.device.dry);
  contents.insert("model", tensors_of(state.model));
  contents.insert("optimizer", visited(state.optimizer));
  if (state.scaler != nullptr) contents.insert("scaler", visited(*state.scaler));
  contents.insert("gradients", gradients_of(state.model));
  contents.insert("generators", dict_of(generators.front()));
  if (generators.size() > 1) contents.insert("rank_generators", dict_of_others(generators));
  write_archive(file, contents);
}

void keep_newest_checkpoints(const std::filesystem::path& folder, std::int64_t keep) {
  auto checkpoints = config::checkpoints_in(folder);
  while (keep > 0 && checkpoints.size() > static_cast<std::size_t>(keep)) {
    std::error_code ignored;
    std::filesystem::remove(checkpoints.begin()->second, ignored);
    checkpoints.erase(checkpoints.begin());
  }
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/saving/training_state.hpp"

#include <ATen/ATen.h>
#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

#include "host/config/checks/resume.hpp"
#include "host/config/files/checkpoint_files.hpp"
#include "host/trainer/saving/state_dict.hpp"

namespace strata::trainer {
namespace {

// The checkpoint's format name.
constexpr const char* kFormat = "strata training";
// Incremented if data that a reader of this version expects is removed or changes its meaning.
constexpr std::int64_t kFormatVersion = 1;

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

SavedTraining::SavedTraining(const std::filesystem::path& file) : file_(file), contents_(read_archive(file)) {
  if (!contents_.contains("format") || !at("format").isString() || at("format").toStringRef() != kFormat)
    refuse(
        "is an archive, but not a checkpoint of a training. Name one that save.every or save.at_end has "
        "written");
  const std::uint64_t version = count_at("format_version");
  if (version > kFormatVersion)
    refuse(
        fmt::format("has format version {}, but this version of Strata reads only up to {}. Resume it with "
                    "the Strata that saved it, or a later one",
                    version, kFormatVersion));
  position_ = {.steps = count_at("step"), .samples = count_at("samples")};
}

void SavedTraining::require_fit(const config::RunConfig& config) const {
  if (!at("config").isString() || !at("dry").isString()) refuse("has no configuration in it");
  if (!at("dry").toStringRef().empty() && !config.device.is_dry())
    refuse(
        fmt::format("was saved on a dry {}, which computes nothing, so its values are not real. Resume a "
                    "checkpoint from a real device, or resume on a dry one",
                    at("dry").toStringRef()));
  std::string differences;
  try {
    for (const auto& [key, saved, here] : config::what_forbids_resuming(at("config").toStringRef(), config))
      differences +=
          fmt::format("{}{} is {} in it and {} here", differences.empty() ? "" : ", ", key, saved, here);
  } catch (const YAML::Exception& error) {
    refuse(fmt::format("has a configuration that is not YAML ({})", error.msg));
  }
  if (!differences.empty())
    refuse(fmt::format(
        "belongs to another training: {}. Use the checkpoint's values, or resume another checkpoint",
        differences));
  const std::uint64_t total = config::total_steps(config);
  if (position_.steps >= total)
    refuse(fmt::format(
        "has completed {} steps, and the whole training has {}: nothing is left to do. Raise "
        "schedule.active, or the limits that end the training earlier (schedule.max_steps, schedule.epochs)",
        position_.steps, total));
}

void SavedTraining::restore(const TrainingState& state, const config::RunConfig& config,
                            std::uint32_t rank) const {
  const at::NoGradGuard no_gradients;
  try {
    restore_model(state.model);
    StateReader optimizer(dict_at("optimizer"), state.device);
    state.optimizer.visit(optimizer);
    if (state.scaler != nullptr) {
      StateReader scaler(dict_at("scaler"), state.device);
      state.scaler->visit(scaler);
    }
    if (!config.zero_grad.set_to_none) restore_gradients(state);
    restore_generators(state.device, rank);
  } catch (const std::invalid_argument& error) {
    refuse(fmt::format("is damaged: {}. Name another checkpoint that save.every or save.at_end has written",
                       error.what()));
  } catch (const c10::Error& error) {
    const std::string_view message = error.what_without_backtrace();
    refuse(fmt::format("cannot be resumed: {}", message.substr(0, message.find('\n'))));
  }
}

void SavedTraining::restore_model(const torch::nn::Module& model) const {
  const Dict saved = dict_at("model");
  std::size_t restored = 0;
  const auto restore = [&](const std::string& name, const at::Tensor& tensor) {
    const auto entry = saved.find(name);
    if (entry == saved.end() || !entry->value().isTensor())
      refuse(fmt::format("has no '{}'. Resume with the model that was saved", name));
    const at::Tensor value = entry->value().toTensor();
    if (value.sizes() != tensor.sizes() || value.scalar_type() != tensor.scalar_type())
      refuse(fmt::format(
          "has '{}' as {} of {}, but the model has it as {} of {}. Resume with the model that was saved",
          name, toString(value.scalar_type()), c10::str(value.sizes()), toString(tensor.scalar_type()),
          c10::str(tensor.sizes())));
    tensor.copy_(value);
    ++restored;
  };
  for (const auto& parameter : model.named_parameters()) restore(parameter.key(), parameter.value());
  for (const auto& buffer : model.named_buffers()) restore(buffer.key(), buffer.value());
  if (restored != saved.size())
    refuse(
        fmt::format("has {} tensors of a model, but this model has {}. Resume with the model that was saved",
                    saved.size(), restored));
}

// Gradients that are filled with zeros are there in the next step also where it makes none.
void SavedTraining::restore_gradients(const TrainingState& state) const {
  const auto parameters = state.model.named_parameters();
  if (!at("gradients").isList()) refuse("has no list of gradients");
  for (const c10::IValue& name : at("gradients").toListRef()) {
    const at::Tensor* const parameter = name.isString() ? parameters.find(name.toStringRef()) : nullptr;
    if (parameter == nullptr) refuse("has a gradient without a parameter");
    parameter->mutable_grad() = at::zeros_like(*parameter, at::MemoryFormat::Preserve);
  }
}

// Generators of a kind of device or a rank that was not saved stay as the seed made them.
void SavedTraining::restore_generators(at::Device device, std::uint32_t rank) const {
  const std::optional<Dict> states = generators_of(rank);
  if (!states) return;
  const auto restore = [&](const char* name, at::Device of) {
    if (!states->contains(name)) return;
    if (!states->at(name).isTensor()) refuse("has a generator without a state");
    at::Generator generator = at::globalContext().defaultGenerator(of);
    const std::lock_guard lock(generator.mutex());
    generator.set_state(states->at(name).toTensor());
  };
  restore("cpu", at::kCPU);
  if (device.is_cuda()) restore("cuda", device);
}

std::optional<Dict> SavedTraining::generators_of(std::uint32_t rank) const {
  if (rank == 0) return dict_at("generators");
  if (!contents_.contains("rank_generators")) return std::nullopt;
  const Dict ranks = dict_at("rank_generators");
  const auto states = ranks.find(std::to_string(rank));
  if (states == ranks.end()) return std::nullopt;
  if (!states->value().isGenericDict()) refuse("has a rank without generators");
  return states->value().toGenericDict();
}

const c10::IValue& SavedTraining::at(const char* name) const {
  const auto entry = contents_.find(name);
  if (entry == contents_.end()) refuse(fmt::format("has no {} in it", name));
  return entry->value();
}

Dict SavedTraining::dict_at(const char* name) const {
  if (!at(name).isGenericDict()) refuse(fmt::format("has no dict called {} in it", name));
  return at(name).toGenericDict();
}

std::uint64_t SavedTraining::count_at(const char* name) const {
  if (!at(name).isInt() || at(name).toInt() < 0) refuse(fmt::format("has no count called {} in it", name));
  return static_cast<std::uint64_t>(at(name).toInt());
}

void SavedTraining::refuse(std::string_view what) const {
  throw CheckpointError(fmt::format("resume: '{}' {}.", file_.string(), what));
}

}  // namespace strata::trainer

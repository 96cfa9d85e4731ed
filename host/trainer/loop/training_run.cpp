// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/loop/training_run.hpp"

#include <c10/core/GradMode.h>

#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/config/files/checkpoint_files.hpp"
#include "host/config/schema/schema.hpp"
#include "host/trainer/loop/backend.hpp"
#include "host/trainer/optimizers/optimizer.hpp"
#include "host/trainer/precision/number_format.hpp"

namespace strata::trainer {
namespace {

LoadPlan load_plan(const config::RunConfig& config, const RankPlace& place, const TrainingPosition& begin) {
  const std::uint64_t steps = config::total_steps(config) - begin.steps;
  return {.first_sample = begin.samples,
          .samples = config.data.batch_size,
          .rank = place.rank,
          .world_size = place.world_size,
          .micro_batches = steps * static_cast<std::uint64_t>(config.accumulation),
          .workers = config.data.workers,
          .prefetch = config.data.prefetch,
          .pin_memory = config.data.pin_memory};
}

// The unit of a step's count.
std::string_view unit_of(const config::ModelConfig& model) {
  return model.task == config::Task::kImageClass ? "images" : "tokens";
}

}  // namespace

TrainingRun::TrainingRun(const Request& request, GraphModules* modules)
    : request_(request),
      config_(request.config),
      session_(request.session),
      modules_(modules),
      device_(torch_device(request.config.device)),
      owners_(request.session) {
  {
    const Phase phase(session_, PhaseKind::kSetup, "setup");
    set_up();
  }
  owners_.register_model(*model_);
  if (ranks_) owners_.register_ranks(*ranks_);
  if (gradient_sync_) owners_.register_buckets(*gradient_sync_);
  if (optimizer_) owners_.register_optimizer_state(*optimizer_);
  if (begin_.steps > 0) {
    owners_.register_gradients();
    if (scaler_) owners_.register_scaler(*scaler_);
  }
  describe();
}

void TrainingRun::set_up() {
  std::optional<SavedTraining> saved;
  if (!config_.resume.empty()) {
    saved.emplace(config_.resume);
    saved->require_fit(config_);
    begin_ = saved->position();
  }
  apply_backend(config_, request_.place);
  source_ = open_batch_reader(config_);
  loader_.emplace(*source_, load_plan(config_, request_.place, begin_),
                  [this](const Batch& batch) { owners_.register_prefetched(batch); });
  if (config_.checkpointing.part != config::CheckpointedPart::kNone) engine_.emplace();
  const ModelSite root{session_.wants_tensors() ? ModuleScope(session_, modules_) : ModuleScope(),
                       at::TensorOptions(parameter_dtype(config_)).device(device_)};
  model_ = make_model({.config = config_.model,
                       .attention = config_.attention,
                       .checkpoints = CheckpointPlan(config_.checkpointing),
                       .adapter = config_.adapter,
                       .computes = !config_.device.is_dry()},
                      root);
  if (config_.world_size > 1) join_ranks();
  if (trains()) make_optimizer_parts(saved ? &*saved : nullptr);
}

void TrainingRun::make_optimizer_parts(const SavedTraining* saved) {
  const std::vector<NamedParameter> parameters = named_parameters(*model_);
  optimizer_ = make_optimizer(config_.optimizer, parameters);
  if (saved == nullptr && config_.optimizer.init_state == config::InitialState::kDummy)
    optimizer_->make_state();
  if (config_.optimizer.per_layer)
    step_in_backward_.emplace(parameters,
                              [this](const NamedParameter& parameter) { step_parameter(parameter); });
  if (config_.precision == config::Precision::kFp16Autocast) scaler_.emplace(config_.grad_scaler, device_);
  if (saved != nullptr) saved->restore(state(), config_, request_.place.rank);
}

void TrainingRun::join_ranks() {
  const Phase phase(session_, PhaseKind::kGradientSync, "join_ranks");
  ranks_.emplace(config_, request_.place);
  if (trains()) gradient_sync_.emplace(*model_, *ranks_, config_.ddp);
  // Parameters are initialised equally on all ranks; dropout is independent.
  if (request_.place.rank > 0)
    torch::manual_seed(static_cast<std::uint64_t>(config_.seed) + request_.place.rank);
}

void TrainingRun::describe() const {
  const config::ModelConfig& model = config_.model;
  nlohmann::ordered_json description = {
      {"name", chosen_name(config_, "model.name")},
      {"size", model.size},
      {"layers", model.layers},
      {"d_model", model.d_model},
      {"d_ff", model.d_ff},
      {"heads", model.heads},
      {"vocab", model.vocab},
      {"context", model.context},
      {"dtype", chosen_name(config_, "precision")},
      {"parameters", parameter_count()},
  };
  if (config_.adapter.is_used()) {
    const config::AdapterConfig& adapter = config_.adapter;
    description["trained_parameters"] = model_->trained_parameter_count();
    description["adapter"] = {{"name", chosen_name(config_, "adapter.name")},
                              {"rank", adapter.rank},
                              {"alpha", adapter.alpha},
                              {"targets", adapter.targets},
                              {"base", chosen_name(config_, "adapter.base")}};
  }
  session_.describe("model", description.dump());
  session_.describe("unit", nlohmann::json(unit_of(model)).dump());
  session_.describe("batch_size", nlohmann::json(config_.data.batch_size).dump());
  session_.describe("data", nlohmann::json(source_->description()).dump());
  if (const std::uint64_t steps = config::steps_of_epoch(config_); steps > 0) {
    const nlohmann::ordered_json epoch = {{"samples", config_.data.samples}, {"steps", steps}};
    session_.describe("epoch", epoch.dump());
  }
  if (begin_.steps > 0) {
    const nlohmann::ordered_json resumed = {{"checkpoint", config_.resume.string()}, {"steps", begin_.steps}};
    session_.describe("resumed", resumed.dump());
  }
  session_.describe("device", nlohmann::json(to_text(config_.device)).dump());
  session_.describe("torch", describe_backend());
}

void TrainingRun::run_steps(Result& result) {
  const c10::AutoGradMode gradients(config_.mode != config::Mode::kForward);
  const std::uint64_t steps = config::total_steps(config_);
  const std::int64_t samples = config::samples_of_step(config_);
  const bool has_tokens = config_.model.task != config::Task::kImageClass;
  const auto tokens = static_cast<std::uint64_t>(has_tokens ? samples * config_.model.context : samples);
  result.steps = begin_.steps;
  const std::uint64_t steps_of_epoch = config::steps_of_epoch(config_);
  bool stops = interrupted();
  for (std::uint64_t step = begin_.steps; step < steps && !stops; ++step) {
    const auto begin = std::chrono::steady_clock::now();
    const auto epoch = steps_of_epoch > 0 ? std::optional(step / steps_of_epoch) : std::nullopt;
    Step recorded(session_, step, static_cast<std::uint32_t>(config_.accumulation), epoch);
    const std::optional<StepOutcome> outcome = run_step(step);
    if (!outcome) {
      result.outcome = Outcome::kInterrupted;
      return;
    }
    const std::optional<double> loss = known(outcome->loss);
    recorded.end({.optimizer_ran = outcome->optimizer_ran, .loss = loss, .tokens = tokens});
    const auto duration = std::chrono::steady_clock::now() - begin;
    result.steps = step + 1;
    result.last_loss = loss;
    if (request_.on_step) {
      const std::chrono::nanoseconds duration_ns(duration);
      request_.on_step({.step = step + 1,
                        .steps = steps,
                        .loss = loss,
                        .tokens = tokens,
                        .unit = unit_of(config_.model),
                        .step_ns = duration_ns.count()});
    }
    stops = interrupted();
    if (is_save_due(step + 1, stops || step + 1 == steps)) save(step + 1);
  }
  result.outcome = result.steps < steps ? Outcome::kInterrupted : Outcome::kDone;
}

std::optional<TrainingRun::StepOutcome> TrainingRun::run_step(std::uint64_t step) {
  const config::ZeroGradAt zero_grad_at = config_.zero_grad.at;
  if (trains()) {
    optimizer_->set_learning_rate(learning_rate_at(config_.optimizer, step, config::total_steps(config_)));
    if (zero_grad_at == config::ZeroGradAt::kStepStart) zero_gradients();
  }
  StepOutcome outcome{};
  for (std::uint32_t micro_batch = 0; micro_batch < config_.accumulation; ++micro_batch) {
    if (ends_within_step()) return std::nullopt;
    outcome.loss += run_micro_batch(micro_batch);
  }
  if (ends_within_step()) return std::nullopt;
  if (trains()) {
    outcome.optimizer_ran = step_optimizer();
    if (zero_grad_at == config::ZeroGradAt::kStepEnd) zero_gradients();
  }
  if (ranks_) outcome.loss = agree(outcome.loss);
  return outcome;
}

double TrainingRun::run_micro_batch(std::uint32_t micro_batch) {
  session_.begin_micro_batch(micro_batch);
  const Batch batch = load();
  Loss loss = loss_of(batch, micro_batch + 1 == config_.accumulation);
  if (trains()) {
    const bool first = micro_batch == 0;
    if (first && config_.zero_grad.at == config::ZeroGradAt::kBeforeBackward) zero_gradients();
    backward(std::move(loss.tensor));
  }
  return loss.value;
}

double TrainingRun::agree(double loss) {
  const Phase phase(session_, PhaseKind::kGradientSync, "loss_sync");
  const RankGroup::Agreement agreement = ranks_->agree(loss, asked_to_stop());
  ranks_stop_ = agreement.stops;
  return agreement.loss;
}

TrainingRun::Loss TrainingRun::loss_of(const Batch& batch, bool is_last) {
  if (gradient_sync_) sync_before_forward(is_last);
  std::optional<AutocastGuard> autocast;
  if (const auto state = autocast_state(config_)) autocast.emplace(device_.type(), *state);
  Loss loss = compute_loss(forward(batch.input), batch.target);
  if (gradient_sync_ && is_last) gradient_sync_->before_backward();
  return loss;
}

void TrainingRun::sync_before_forward(bool is_last) {
  bool made_buckets = false;
  {
    const Phase phase(session_, PhaseKind::kGradientSync, "buffer_sync");
    made_buckets = gradient_sync_->before_forward(is_last);
  }
  if (made_buckets) owners_.register_buckets(*gradient_sync_);
}

Batch TrainingRun::load() {
  Batch batch;
  {
    const Phase phase(session_, PhaseKind::kData, "data");
    batch = loader_->next();
  }
  if (!device_.is_cpu()) {
    const Phase phase(session_, PhaseKind::kHostToDevice, "host_to_device");
    const bool non_blocking = config_.data.pin_memory;
    batch.input = batch.input.to(device_, batch.input.scalar_type(), non_blocking);
    batch.target = batch.target.to(device_, batch.target.scalar_type(), non_blocking);
  }
  owners_.register_batch(batch);
  return batch;
}

at::Tensor TrainingRun::forward(const at::Tensor& input) {
  if (modules_ != nullptr) modules_->forget();
  at::Tensor logits;
  {
    const Phase phase(session_, PhaseKind::kForward, "forward");
    logits = model_->forward(input);
  }
  owners_.register_logits(logits);
  return logits;
}

TrainingRun::Loss TrainingRun::compute_loss(at::Tensor logits, const at::Tensor& target) {
  const Phase phase(session_, PhaseKind::kLoss, "loss");
  at::Tensor loss = at::cross_entropy_loss(logits.flatten(0, -2), target.flatten());
  logits.reset();
  if (config_.accumulation > 1) loss = loss / config_.accumulation;
  owners_.register_loss(loss);
  const double value = loss.item<double>();
  if (!trains()) {
    loss.reset();
  } else if (scaler_) {
    loss = scaler_->scale(loss);
    owners_.register_loss(loss);  // a tensor of its own, held until backward is through
    owners_.register_scaler(*scaler_);
  }
  return {std::move(loss), value};
}

void TrainingRun::backward(at::Tensor loss) {
  {
    const Phase phase(session_, PhaseKind::kBackward, "backward");
    loss.backward();
    loss.reset();
  }
  owners_.register_gradients();
}

bool TrainingRun::step_optimizer() {
  bool steps = true;
  const bool clips = config_.optimizer.clip_norm > 0.0;
  if (clips) steps = clip();
  if (!step_in_backward_) {
    const Phase phase(session_, PhaseKind::kOptimizer, "optimizer");
    if (scaler_ && !clips) steps = scaler_->unscale(optimizer_->gradients());
    if (steps) optimizer_->step();
    if (scaler_) scaler_->update();
  }
  owners_.register_gradients();
  owners_.register_optimizer_state(*optimizer_);
  return steps;
}

bool TrainingRun::clip() {
  const Phase phase(session_, PhaseKind::kClip, "clip");
  const std::vector<at::Tensor> gradients = optimizer_->gradients();
  const bool usable = !scaler_ || scaler_->unscale(gradients);
  if (usable) clip_gradients(gradients, config_.optimizer.clip_norm);
  return usable;
}

// No other parameter has a gradient now, so the optimizer only steps this one.
void TrainingRun::step_parameter(const NamedParameter& parameter) {
  owners_.register_gradient(parameter);
  const Phase phase(session_, PhaseKind::kOptimizer, "optimizer");
  optimizer_->step();
}

void TrainingRun::zero_gradients() {
  {
    const Phase phase(session_, PhaseKind::kZeroGrad, "zero_grad");
    optimizer_->zero_grad(config_.zero_grad.set_to_none);
  }
  owners_.register_gradients();
}

bool TrainingRun::is_save_due(std::uint64_t steps, bool at_end) const {
  const auto every = static_cast<std::uint64_t>(config_.save.every);
  return (at_end && config_.save.at_end) || (every > 0 && steps % every == 0);
}

void TrainingRun::save(std::uint64_t steps) {
  const Phase phase(session_, PhaseKind::kCheckpointSave, "checkpoint_save");
  const std::vector<GeneratorStates> generators = generators_of_ranks();
  if (request_.place.rank > 0) return;
  const std::filesystem::path folder = request_.directory / config::kCheckpointFolder;
  const auto samples_of_step = static_cast<std::uint64_t>(config::samples_of_step(config_));
  const TrainingPosition position{.steps = steps,
                                  .samples = begin_.samples + (steps - begin_.steps) * samples_of_step};
  save_training(folder / config::checkpoint_name(steps), state(), position, config_, generators);
  keep_newest_checkpoints(folder, config_.save.keep);
}

std::vector<GeneratorStates> TrainingRun::generators_of_ranks() const {
  GeneratorStates own = GeneratorStates::of(device_);
  if (!ranks_) return {own};
  const Phase phase(session_, PhaseKind::kGradientSync, "generator_sync");
  const std::vector<at::Tensor> cpu = ranks_->gather(own.cpu);
  const std::vector<at::Tensor> cuda =
      own.cuda.defined() ? ranks_->gather(own.cuda) : std::vector<at::Tensor>(cpu.size());
  std::vector<GeneratorStates> all;
  for (std::size_t rank = 0; rank < cpu.size(); ++rank) all.push_back({cpu[rank], cuda[rank]});
  return all;
}

}  // namespace strata::trainer

// SPDX-License-Identifier: Apache-2.0
#include "strata/runtime/session.hpp"

#include <fmt/format.h>

#include <limits>
#include <mutex>
#include <utility>

#include "host/runtime/session/session_implementation.hpp"

namespace strata {
namespace {

// The trainer's tensor and module types have the ABI's values.
static_assert(static_cast<std::uint32_t>(PhaseKind::kEvaluation) == STRATA_PHASE_EVALUATION);
static_assert(static_cast<std::uint32_t>(ModuleDirection::kRecompute) == STRATA_MODULE_RECOMPUTE);
static_assert(static_cast<std::uint32_t>(TensorRole::kOffloaded) == STRATA_TENSOR_OFFLOADED);
static_assert(static_cast<std::uint32_t>(DeviceType::kCudaHost) == STRATA_DEVICE_CUDA_HOST);
static_assert(static_cast<std::uint32_t>(RunEnd::kExited) == STRATA_RUN_EXITED);

// Ended sessions stay where late events still find them (session_implementation.hpp). `Ended` is any owner.
template <typename Ended>
void keep_for_ever(std::unique_ptr<Ended> session) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<Ended>>;  // NOLINT: not destroyed at exit, on purpose
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(session));
}

strata_step_result to_abi(const StepResult& result) {
  strata_step_result abi{};
  abi.struct_size = sizeof abi;
  abi.optimizer_ran = result.optimizer_ran ? 1 : 0;
  abi.loss = result.loss.value_or(std::numeric_limits<double>::quiet_NaN());
  abi.tokens = result.tokens;
  return abi;
}

}  // namespace

SessionError::SessionError(std::vector<std::string> problems)
    : std::runtime_error(fmt::format("{}", fmt::join(problems, "\n"))), problems_(std::move(problems)) {}

Session::Session(SessionOptions options) : implementation_(Implementation::make(std::move(options))) {}

Session::~Session() {
  implementation_->finish(RunEnd::kFailed, false);
  release_process(*implementation_);
  keep_for_ever(std::move(implementation_));
}

void Session::begin_run() {
  implementation_->begin_run();
}
void Session::ready() {
  implementation_->loop_thread().ready();
}
void Session::end_run(RunEnd reason) {
  implementation_->finish(reason, false);
}
void Session::end_run_at_exit(RunEnd reason) {
  implementation_->finish(reason, true);
}

void Session::begin_step(std::uint64_t index, std::uint32_t micro_batches,
                         std::optional<std::uint64_t> epoch) {
  const StepMark step{index, micro_batches, epoch.value_or(STRATA_NO_EPOCH)};
  if (LoopInference* const loop = implementation_->inference()) return loop->program_begins_step(step);
  implementation_->loop_thread().begin_step(step.index, step.micro_batches, step.epoch);
}
void Session::begin_micro_batch(std::uint32_t index) {
  if (LoopInference* const loop = implementation_->inference())
    return loop->program_begins_micro_batch(index);
  implementation_->loop_thread().begin_micro_batch(index);
}
void Session::end_step(const StepResult& result) {
  if (LoopInference* const loop = implementation_->inference())
    return loop->program_ends_step(to_abi(result));
  implementation_->loop_thread().end_step(to_abi(result));
}

void Session::mark_step(const StepResult& result) {
  if (LoopInference* const loop = implementation_->inference()) loop->program_marks_step(to_abi(result));
}

std::uint32_t Session::begin_phase(PhaseKind kind, std::string_view name) {
  const auto abi_kind = static_cast<std::uint32_t>(kind);
  if (LoopInference* const loop = implementation_->inference())
    return loop->program_begins_phase(abi_kind, name);
  LoopThread& loop_thread = implementation_->loop_thread();
  const strata_name interned =
      loop_thread.wants_phases() ? implementation_->names().intern(name) : strata_name{"", 0, 0};
  return loop_thread.begin_phase(abi_kind, interned);
}
void Session::end_phase(std::uint32_t ordinal) {
  if (LoopInference* const loop = implementation_->inference()) return loop->program_ends_phase(ordinal);
  implementation_->loop_thread().end_phase(ordinal);
}

std::uint32_t Session::begin_module(std::string_view path, std::string_view type, ModuleDirection direction) {
  FanOut& fan_out = implementation_->fan_out();
  if ((fan_out.interest() & kInterestModule) == 0) return STRATA_NONE;
  strata_module_info module{};
  module.struct_size = sizeof module;
  module.direction = static_cast<std::uint32_t>(direction);
  module.path = implementation_->names().intern(path);
  module.type = implementation_->names().intern(type);
  return fan_out.begin_module(module);
}
void Session::end_module(std::uint32_t ordinal) {
  implementation_->fan_out().end_module(ordinal);
}

void Session::tensor(const TensorInfo& info) {
  FanOut& fan_out = implementation_->fan_out();
  if ((fan_out.interest() & STRATA_INTEREST_TENSOR) == 0) return;
  strata_tensor_event event{};
  event.struct_size = sizeof event;
  event.role = static_cast<std::uint32_t>(info.role);
  event.name = implementation_->names().intern(info.name);
  event.dtype = implementation_->names().intern(info.dtype);
  event.device = {static_cast<std::uint32_t>(info.device_type), info.device_index};
  event.address = info.address;
  event.storage_bytes = info.storage_bytes;
  event.owner_address = info.owner_address;
  event.sizes = info.sizes.data();
  event.dimensions = static_cast<std::uint32_t>(info.sizes.size());
  event.is_frozen = info.is_frozen ? 1 : 0;
  fan_out.tensor(event);
}

void Session::watch_optimizers(const void* key, std::function<void()> callback) {
  implementation_->optimizer_watchers().add(key, std::move(callback));
}
void Session::forget_optimizers(const void* key) {
  implementation_->optimizer_watchers().remove(key);
}

bool Session::wants_tensors() const noexcept {
  return implementation_->wants_tensors();
}
bool Session::plugins_want_modules() const noexcept {
  return implementation_->plugins_want_modules();
}

void Session::describe(std::string_view section, std::string_view json) {
  implementation_->describe(section, json);
}

std::vector<PluginStatus> Session::plugins() const {
  return implementation_->plugins();
}

std::string Session::lost() const {
  return implementation_->lost();
}

Window Session::window() const noexcept {
  return implementation_->schedule().window();
}

}  // namespace strata

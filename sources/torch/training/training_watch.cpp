// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/training_watch.hpp"

#include <ATen/record_function.h>
#include <c10/core/GradMode.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "sources/torch/host_link.hpp"
#include "sources/torch/training/compiled_steps.hpp"
#include "sources/torch/training/graph_tasks.hpp"
#include "sources/torch/training/owners.hpp"
#include "sources/torch/training/written_tensors.hpp"
#include "strata/ext/training.h"

namespace strata::torch_source {
namespace {

static_assert(std::is_same_v<at::CallbackHandle, unsigned long>, "TrainingWatch keeps them");

constexpr std::string_view kOptimizerStep = "Optimizer.step#";
// So many steps in a row in which an optimizer made no new state: it has all that it will have, until another
// look some steps later.
constexpr int kStepsWithoutNewState = 2;
constexpr int kStepsUntilAnotherLook = 100;
// In so many backwards gradients may be exchanged in buckets that nobody was told of: DDP makes them anew
// after the first, and where gradients are accumulated only the last of a step exchanges any.
constexpr int kBackwardsWithNewBuckets = 64;
constexpr int kStepsWithNewBuckets = 3;

// Which operators are looked at, and torch's callback for them switched to it.
class OperatorSwitch {
 public:
  void set_callback(at::CallbackHandle handle) {
    const std::lock_guard lock(mutex_);
    handle_ = handle;
    enabled_ = true;
    apply();
  }
  void forget_callback() {
    const std::lock_guard lock(mutex_);
    handle_ = at::INVALID_CALLBACK_HANDLE;
    wanted_ = 0;
    depth_ = 0;
    quiet_steps_ = steps_ = backwards_ = 0;
    in_backward_ = false;
  }

  // STRATA_TRAINING_WATCH_*.
  std::uint32_t wanted() const { return wanted_.load(std::memory_order_relaxed); }
  // Whether parameters' writes are wanted no longer: an optimizer without a name has ended.
  bool want(std::uint32_t bits) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t before = wanted_.exchange(bits, std::memory_order_relaxed);
    apply();
    return (before & ~bits & STRATA_TRAINING_WATCH_PARAMETER_WRITES) != 0;
  }

  void begin_backward() {
    const std::lock_guard lock(mutex_);
    in_backward_ = true;
    ++backwards_;
    apply();
  }
  void end_backward() {
    const std::lock_guard lock(mutex_);
    in_backward_ = false;
    apply();
  }

  bool looks_for_state() const { return looks_for_state_.load(std::memory_order_relaxed); }
  void begin_optimizer() {
    const std::lock_guard lock(mutex_);
    ++depth_;
    apply();
  }
  // Whether it was the outermost one.
  bool end_optimizer() {
    const std::lock_guard lock(mutex_);
    if (depth_ == 0) return false;
    --depth_;
    apply();
    return depth_ == 0;
  }
  void count_step(bool has_new_state) {
    const std::lock_guard lock(mutex_);
    ++steps_;
    quiet_steps_ = has_new_state ? 0 : quiet_steps_ + 1;
    if (quiet_steps_ > kStepsUntilAnotherLook) quiet_steps_ = kStepsWithoutNewState - 1;
  }

 private:
  void apply() {
    const bool by_name = depth_ > 0 && quiet_steps_ < kStepsWithoutNewState;
    const bool by_writes = (wanted() & STRATA_TRAINING_WATCH_PARAMETER_WRITES) != 0;
    looks_for_state_.store(by_name || by_writes, std::memory_order_relaxed);
    const bool looks_for_buckets =
        in_backward_ && steps_ < kStepsWithNewBuckets && backwards_ <= kBackwardsWithNewBuckets;
    const bool enabled = wanted() != 0 || looks_for_state() || looks_for_buckets;
    if (handle_ == at::INVALID_CALLBACK_HANDLE || enabled == enabled_) return;
    enabled ? at::reenableCallback(handle_) : at::disableCallback(handle_);
    enabled_ = enabled;
  }

  std::mutex mutex_;
  at::CallbackHandle handle_ = at::INVALID_CALLBACK_HANDLE;
  bool enabled_ = false;
  std::atomic<std::uint32_t> wanted_{0};
  std::atomic<bool> looks_for_state_{false};
  int depth_ = 0;
  int quiet_steps_ = 0;
  int steps_ = 0, backwards_ = 0;
  bool in_backward_ = false;
};

OperatorSwitch& operators_looked_at() {
  static auto& all = *new OperatorSwitch;  // NOLINT: not destroyed at exit, where operators may be under way
  return all;
}

bool wants_parameter_writes() {
  return (operators_looked_at().wanted() & STRATA_TRAINING_WATCH_PARAMETER_WRITES) != 0;
}

void tell_host(std::uint32_t what, std::string_view name = {}) {
  const Emission emission;
  if (!emission || !emission.hears_of_training()) return;
  const std::uint32_t wanted = emission.training(what, name);
  if (operators_looked_at().want(wanted)) tell_states();
}

// An optimizer ran in what nobody saw: its phase is as long as nothing, but the step ends.
void tell_unseen_optimizer() {
  if (!wants_parameter_writes() || !take_written_unseen()) return;
  look_for_states();
  tell_host(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
  tell_host(STRATA_TRAINING_PARAMETER_WRITE_END);
}

void begin_graph_task() {
  tell_unseen_optimizer();
  forget_versions();
  operators_looked_at().begin_backward();
  tell_host(STRATA_TRAINING_BACKWARD_BEGIN);
}

void end_graph_task() {
  operators_looked_at().end_backward();
  tell_host(STRATA_TRAINING_BACKWARD_END);
}

constexpr GraphTaskCalls kGraphTaskCalls{.begin = &begin_graph_task, .end = &end_graph_task};

std::unique_ptr<at::ObserverContext> begin_outline(const at::RecordFunction& function) noexcept try {
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    follow_graph_task(kGraphTaskCalls);
    return nullptr;
  }
  const std::string_view name = function.name();
  if (name.starts_with(kOptimizerStep)) operators_looked_at().begin_optimizer();
  tell_unseen_optimizer();
  tell_host(STRATA_TRAINING_RANGE_BEGIN, name);
  return nullptr;
} catch (...) {
  return nullptr;  // a phase that is missing is better than a training that stops
}

void end_outline(const at::RecordFunction& function, at::ObserverContext*) noexcept try {
  if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
    tell_accumulated(function);
    return;
  }
  const std::string_view name = function.name();
  // The host first: whoever knows the state's names tells them then, and of one role the first name holds.
  tell_host(STRATA_TRAINING_RANGE_END, name);
  if (name.starts_with(kOptimizerStep) && operators_looked_at().end_optimizer())
    operators_looked_at().count_step(tell_states());
} catch (...) {
}

// Marks what writes to a parameter, from its begin to its end.
struct ParameterWrite final : at::ObserverContext {};

// Marks a compiled program that may be an optimizer's step.
struct CompiledProgram final : at::ObserverContext {};

std::unique_ptr<at::ObserverContext> begin_parameter_write() {
  tell_host(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
  return std::make_unique<ParameterWrite>();
}

std::unique_ptr<at::ObserverContext> begin_compiled_program(std::string_view range) {
  if (!wants_parameter_writes()) return nullptr;
  if (is_compiled_optimizer(range)) return begin_parameter_write();
  return std::make_unique<CompiledProgram>();
}

std::unique_ptr<at::ObserverContext> begin_looked_at(const at::RecordFunction& function) noexcept try {
  if (is_in_graph_task()) {
    tell_buckets(function);
    return nullptr;
  }
  if (is_compiled_program(function)) return begin_compiled_program(function.name());
  OperatorSwitch& looked_at = operators_looked_at();
  if (c10::GradMode::is_enabled()) {
    const bool wanted = (looked_at.wanted() & STRATA_TRAINING_WATCH_FORWARD) != 0;
    if (!wanted || !begins_forward(function)) return nullptr;
    tell_unseen_optimizer();
    name_before_forward();
    tell_host(STRATA_TRAINING_FORWARD);
    return nullptr;
  }
  if (looked_at.looks_for_state()) note_written(function);
  return wants_parameter_writes() && writes_to_parameter(function) ? begin_parameter_write() : nullptr;
} catch (...) {
  return nullptr;
}

void end_looked_at(const at::RecordFunction& function, at::ObserverContext* context) noexcept try {
  if (context == nullptr) return;
  if (dynamic_cast<CompiledProgram*>(context) == nullptr) {
    if (is_compiled_program(function)) look_for_states();
    forget_versions();
    tell_host(STRATA_TRAINING_PARAMETER_WRITE_END);
  } else if (wants_parameter_writes() && take_written_unseen()) {
    keep_compiled_optimizer(function.name());
    look_for_states();
    tell_host(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
    tell_host(STRATA_TRAINING_PARAMETER_WRITE_END);
  }
} catch (...) {
}

// Of each thread of backward: whether the operators are those that checkpointing repeats.
std::unique_ptr<at::ObserverContext> begin_repeated(const at::RecordFunction& function) noexcept try {
  thread_local bool repeats = false;
  const bool now = is_in_graph_task() && c10::GradMode::is_enabled() && !records_its_own_graph() &&
                   !std::string_view(function.name()).starts_with("autograd::");
  if (now == repeats) return nullptr;
  repeats = now;
  tell_host(now ? STRATA_TRAINING_RECOMPUTE_BEGIN : STRATA_TRAINING_RECOMPUTE_END);
  return nullptr;
} catch (...) {
  return nullptr;
}

}  // namespace

TrainingWatch::TrainingWatch()
    : outline_(at::addGlobalCallback(
          at::RecordFunctionCallback(&begin_outline, &end_outline)
              .scopes({at::RecordScope::BACKWARD_FUNCTION, at::RecordScope::USER_SCOPE}))),
      operators_(at::addGlobalCallback(at::RecordFunctionCallback(&begin_looked_at, &end_looked_at)
                                           .needsInputs(true)
                                           .scopes({at::RecordScope::FUNCTION}))),
      repeated_(at::addGlobalCallback(
          at::RecordFunctionCallback(&begin_repeated).scopes({at::RecordScope::FUNCTION}))) {
  at::disableCallback(repeated_);
  forget_owners();
  operators_looked_at().set_callback(operators_);
  operators_looked_at().want(STRATA_TRAINING_WATCH_FORWARD);
}

TrainingWatch::~TrainingWatch() {
  operators_looked_at().forget_callback();
  at::removeCallback(repeated_);
  at::removeCallback(operators_);
  at::removeCallback(outline_);
}

void TrainingWatch::follow_operators(bool told) {
  if (told == repeated_enabled_) return;
  told ? at::reenableCallback(repeated_) : at::disableCallback(repeated_);
  repeated_enabled_ = told;
}

}  // namespace strata::torch_source

// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/training/training_watch.hpp"

#include <ATen/record_function.h>
#include <c10/core/GradMode.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <utility>

#include "sources/torch/allocators/cuda_workspaces.hpp"
#include "sources/torch/host/host_link.hpp"
#include "sources/torch/training/assigned_gradients.hpp"
#include "sources/torch/training/cast_watch.hpp"
#include "sources/torch/training/compiled_steps.hpp"
#include "sources/torch/training/copy_looks.hpp"
#include "sources/torch/training/gradients.hpp"
#include "sources/torch/training/graph_tasks.hpp"
#include "sources/torch/training/model_copies.hpp"
#include "sources/torch/training/owners.hpp"
#include "sources/torch/training/program_layers.hpp"
#include "sources/torch/training/switched_callback.hpp"
#include "sources/torch/training/written_tensors.hpp"
#include "strata/ext/training.h"

namespace strata::torch_source {
namespace {

constexpr std::string_view kOptimizerStep = "Optimizer.step#";
// So many steps in a row in which an optimizer made no new state: it has all that it will have, until another
// look some steps later.
constexpr int kStepsWithoutNewState = 2;
constexpr int kStepsUntilAnotherLook = 100;
// The number of backwards in which unreported buckets may be used: DDP recreates them after the first one,
// and if gradients are accumulated only the last one of a step exchanges any.
constexpr int kBackwardsWithNewBuckets = 64;
constexpr int kStepsWithNewBuckets = 3;

// Which operators are looked at, and torch's callback for them switched to it.
class OperatorSwitch {
 public:
  void set_callback(const at::RecordFunctionCallback& callback) {
    const std::lock_guard lock(mutex_);
    callback_.emplace(callback);
    apply();
  }
  void forget_callback() {
    const std::lock_guard lock(mutex_);
    callback_.reset();
    wanted_ = 0;
    depth_ = 0;
    quiet_steps_ = steps_ = backwards_ = 0;
    in_backward_ = false;
    copy_looks_ = {};
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
    const bool looks_for_copies = copy_looks_.are_wanted(steps_, backwards_);
    if (callback_)
      callback_->switch_to(wanted() != 0 || looks_for_state() || looks_for_buckets || looks_for_copies);
  }

  std::mutex mutex_;
  std::optional<SwitchedCallback> callback_;
  std::atomic<std::uint32_t> wanted_{0};
  std::atomic<bool> looks_for_state_{false};
  int depth_ = 0;
  int quiet_steps_ = 0;
  int steps_ = 0, backwards_ = 0;
  bool in_backward_ = false;
  CopyLooks copy_looks_;
};

// Whether torch calls back at the backward graph's nodes, at the first of each graph always, and at the
// program's own ranges, of which those that matter lie outside backward.
class OutlineSwitch {
 public:
  void set_callbacks(const at::RecordFunctionCallback& nodes, const at::RecordFunctionCallback& ranges) {
    const std::lock_guard lock(mutex_);
    nodes_.emplace(nodes);
    ranges_.emplace(ranges);
    skips_ = follows_operators_ = false;
    apply();
  }
  void forget_callbacks() {
    const std::lock_guard lock(mutex_);
    nodes_.reset();
    ranges_.reset();
  }
  // Repeated operators of checkpointing are distinguished by the nodes in which they run.
  void follow_operators(bool told) {
    const std::lock_guard lock(mutex_);
    follows_operators_ = told;
  }
  void begin_backward() {
    const std::lock_guard lock(mutex_);
    skips_ = !follows_operators_ && may_skip_nodes();
    apply();
  }
  // Whether nodes were skipped.
  bool end_backward() {
    const std::lock_guard lock(mutex_);
    const bool skipped = std::exchange(skips_, false);
    apply();
    return skipped;
  }

 private:
  void apply() {
    if (nodes_) nodes_->switch_to(!skips_);
    if (ranges_) ranges_->switch_to(!skips_);
  }

  std::mutex mutex_;
  std::optional<SwitchedCallback> nodes_, ranges_;
  bool skips_ = false;
  bool follows_operators_ = false;
};

OutlineSwitch& outline() {
  static auto& all = *new OutlineSwitch;  // NOLINT: not destroyed at exit, where backward may be under way
  return all;
}

OperatorSwitch& operators_looked_at() {
  static auto& all = *new OperatorSwitch;  // NOLINT: not destroyed at exit, where operators may be under way
  return all;
}

bool wants_parameter_writes() {
  return (operators_looked_at().wanted() & STRATA_TRAINING_WATCH_PARAMETER_WRITES) != 0;
}

void report_host(std::uint32_t what, std::string_view name = {}) {
  const Emission emission;
  if (!emission || !emission.hears_of_training()) return;
  const std::uint32_t wanted = emission.training(what, name);
  if (operators_looked_at().want(wanted)) report_states();
}

// An optimizer stepped within a backward, where its writes are not observed: the program is asked for its
// state before the next forward.
std::atomic<bool> stepped_in_backward{false};

// Such a backward's ranges and nodes matter each time.
void begin_step_in_backward() {
  never_skip_nodes();
  if (!stepped_in_backward.exchange(true)) look_for_states();
}

// An optimizer ran unobserved: its phase has no duration, but the step ends.
void report_unseen_optimizer() {
  if (!wants_parameter_writes() || !take_written_unseen()) return;
  look_for_states();
  report_host(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
  report_host(STRATA_TRAINING_PARAMETER_WRITE_END);
}

void begin_graph_task() {
  report_unseen_optimizer();
  forget_versions();
  operators_looked_at().begin_backward();
  outline().begin_backward();
  report_host(STRATA_TRAINING_BACKWARD_BEGIN);
}

void end_graph_task(bool completed) {
  operators_looked_at().end_backward();
  if (outline().end_backward()) {
    for (const at::Tensor& parameter : end_skipped_backward(completed)) report_gradient(parameter);
  } else {
    end_watched_backward(completed);
  }
  report_host(STRATA_TRAINING_BACKWARD_END);
}

constexpr GraphTaskCalls kGraphTaskCalls{.begin = &begin_graph_task, .end = &end_graph_task};

std::unique_ptr<at::ObserverContext> begin_node(const at::RecordFunction&) noexcept try {
  follow_graph_task(kGraphTaskCalls);
  return nullptr;
} catch (...) {
  return nullptr;  // a phase that is missing is better than a training that stops
}

void end_node(const at::RecordFunction& function, at::ObserverContext*) noexcept try {
  report_accumulated(function);
} catch (...) {
}

// The ranges of fully_shard and FullyShardedDataParallel that are open on this thread. Inside them,
// parameters are gathered from the ranks, which writes to them as an optimizer does.
thread_local int sharding_ranges = 0;

struct ShardingRange final : at::ObserverContext {
  ShardingRange() { ++sharding_ranges; }
  ~ShardingRange() override { --sharding_ranges; }
};

bool shards_parameters(std::string_view range) {
  return range.starts_with("FSDP::") || range.starts_with("FullyShardedDataParallel.");
}

// Whether an operator that writes to a parameter receives it from other ranks and does not train it.
bool is_communication(const at::RecordFunction& function) {
  return sharding_ranges > 0 || std::string_view(function.name()).starts_with("c10d::");
}

std::unique_ptr<at::ObserverContext> begin_range(const at::RecordFunction& function) noexcept try {
  const std::string_view name = function.name();
  if (shards_parameters(name)) return std::make_unique<ShardingRange>();
  if (name.starts_with(kOptimizerStep)) {
    operators_looked_at().begin_optimizer();
    if (is_in_graph_task()) begin_step_in_backward();
    report_assigned_gradients();
    report_cuda_workspaces();  // of a program that ends before a second step, too
  }
  report_unseen_optimizer();
  report_host(STRATA_TRAINING_RANGE_BEGIN, name);
  return nullptr;
} catch (...) {
  return nullptr;
}

void end_range(const at::RecordFunction& function, at::ObserverContext*) noexcept try {
  const std::string_view name = function.name();
  // The host first: a component that knows the state's names then reports them, and the first name of a role
  // holds.
  report_host(STRATA_TRAINING_RANGE_END, name);
  if (name.starts_with(kOptimizerStep) && operators_looked_at().end_optimizer() && !is_in_graph_task())
    operators_looked_at().count_step(report_states());
} catch (...) {
}

// Marks what writes to a parameter, from its begin to its end.
struct ParameterWrite final : at::ObserverContext {};

// Marks a compiled program that may be an optimizer's step.
struct CompiledProgram final : at::ObserverContext {};

std::unique_ptr<at::ObserverContext> begin_parameter_write() {
  report_host(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
  return std::make_unique<ParameterWrite>();
}

std::unique_ptr<at::ObserverContext> begin_compiled_program(std::string_view range) {
  if (!wants_parameter_writes()) return nullptr;
  if (is_compiled_optimizer(range)) return begin_parameter_write();
  return std::make_unique<CompiledProgram>();
}

std::unique_ptr<at::ObserverContext> begin_looked_at(const at::RecordFunction& function) noexcept try {
  report_copy_use(function);
  if (is_in_graph_task()) {
    report_buckets(function);
    return nullptr;
  }
  if (is_compiled_program(function)) return begin_compiled_program(function.name());
  report_copy_of_owner(function);
  OperatorSwitch& looked_at = operators_looked_at();
  if (c10::GradMode::is_enabled()) {
    const bool wanted = (looked_at.wanted() & STRATA_TRAINING_WATCH_FORWARD) != 0;
    if (!wanted || !begins_forward(function)) return nullptr;
    report_unseen_optimizer();
    name_before_forward();
    if (stepped_in_backward.exchange(false)) report_states();
    report_host(STRATA_TRAINING_FORWARD);
    report_program_layers();
    return nullptr;
  }
  if (is_communication(function)) return nullptr;
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
    report_host(STRATA_TRAINING_PARAMETER_WRITE_END);
  } else if (wants_parameter_writes() && take_written_unseen()) {
    keep_compiled_optimizer(function.name());
    look_for_states();
    report_host(STRATA_TRAINING_PARAMETER_WRITE_BEGIN);
    report_host(STRATA_TRAINING_PARAMETER_WRITE_END);
  }
} catch (...) {
}

// For each backward thread: whether its operators are those repeated by checkpointing.
std::unique_ptr<at::ObserverContext> begin_repeated(const at::RecordFunction& function) noexcept try {
  thread_local bool repeats = false;
  const bool now = is_in_graph_task() && c10::GradMode::is_enabled() && !records_its_own_graph() &&
                   !std::string_view(function.name()).starts_with("autograd::");
  if (now == repeats) return nullptr;
  repeats = now;
  report_host(now ? STRATA_TRAINING_RECOMPUTE_BEGIN : STRATA_TRAINING_RECOMPUTE_END);
  return nullptr;
} catch (...) {
  return nullptr;
}

}  // namespace

struct TrainingWatch::Repeated {
  SwitchedCallback callback{at::RecordFunctionCallback(&begin_repeated).scopes({at::RecordScope::FUNCTION})};
};

TrainingWatch::TrainingWatch() : repeated_(std::make_unique<Repeated>()) {
  forget_owners();
  stepped_in_backward = false;
  outline().set_callbacks(
      at::RecordFunctionCallback(&begin_node, &end_node).scopes({at::RecordScope::BACKWARD_FUNCTION}),
      at::RecordFunctionCallback(&begin_range, &end_range).scopes({at::RecordScope::USER_SCOPE}));
  operators_looked_at().set_callback(at::RecordFunctionCallback(&begin_looked_at, &end_looked_at)
                                         .needsInputs(true)
                                         .scopes({at::RecordScope::FUNCTION}));
  operators_looked_at().want(STRATA_TRAINING_WATCH_FORWARD);
}

TrainingWatch::~TrainingWatch() {
  repeated_.reset();
  operators_looked_at().forget_callback();
  outline().forget_callbacks();
}

void TrainingWatch::follow_operators(bool told) {
  repeated_->callback.switch_to(told);
  outline().follow_operators(told);
}

}  // namespace strata::torch_source

// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/torch_source.hpp"

#include <atomic>
#include <cstring>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sources/torch/allocators/cpu_allocator.hpp"
#include "sources/torch/allocators/cuda_allocator.hpp"
#include "sources/torch/allocators/cuda_allocator_record.hpp"
#include "sources/torch/allocators/cuda_start.hpp"
#include "sources/torch/allocators/cuda_workspaces.hpp"
#include "sources/torch/allocators/pinned_allocator.hpp"
#include "sources/torch/allocators/self_check.hpp"
#include "sources/torch/host/host_link.hpp"
#include "sources/torch/ops/saved_tensors.hpp"
#include "sources/torch/python/python_interpreter.hpp"
#include "sources/torch/torch_release.hpp"
#include "sources/torch/training/owners.hpp"
#include "sources/torch/training/process_rank.hpp"
#include "sources/torch/training/trainer_record.hpp"

namespace strata::torch_source {
namespace {

void require(const std::string& problem) {
  if (!problem.empty()) throw std::runtime_error(problem);
}

// Whether any plugin will listen, while the window is open or always.
bool hears_of_memory(const Host& host, const strata_emit_service& emit) {
  if (!STRATA_HAS_FIELD(strata_emit_service, &emit, interest_in_window) || emit.interest_in_window == nullptr)
    return true;
  return (emit.interest_in_window(host.abi()) & STRATA_INTEREST_MEMORY) != 0;
}

// The host of a run that began before CUDA did.
std::atomic<const Host*> waiting{nullptr};

// Few enough that their operators cost a long run nothing; so many that a short one has them everywhere.
constexpr std::uint64_t kFirstDetailedSteps = 10, kDetailedStepEvery = 50;

void trace_late_cuda() {
  const Emission emission;
  const Host* const host = emission ? waiting.exchange(nullptr) : nullptr;
  if (host != nullptr) report_cuda_allocator(*host, trace_cuda_allocator(false));
}

}  // namespace

TorchSource::TorchSource(const Host& host)
    : host_(host),
      emit_(host_.service<strata_emit_service>(STRATA_EXT_EMIT)),
      training_(host_.service<strata_training_service>(STRATA_EXT_TRAINING)),
      ops_(host_.text("ops")),
      in_all_steps_(host_.text("detail") == std::string_view("all") || host_.flag("saved_tensors") ||
                    host_.flag("shapes") || host_.flag("python_stacks")),
      saved_tensors_(host_.flag("saved_tensors")),
      shapes_(host_.flag("shapes") ? Shapes::kReported : Shapes::kNotReported),
      knows_rank_(has_launchers_rank()),
      sampled_at_(host_.text("memory_samples")) {
  require(release_mismatch(loaded_torch_release()));
  if (emit_ == nullptr)
    throw std::runtime_error("this host accepts no events (it has no " STRATA_EXT_EMIT ").");
  require(self_check());
  if (saved_tensors_) require(install_saved_tensor_engine());
  if (sampled_at_ != "none") samples_.emplace(host_);
  if (host_.flag("layer_outputs")) layer_outputs_.emplace(host_);
  if (host_.flag("absent_peers")) {
    absent_peers_.emplace();
    small_values_.emplace(host_);
  }
  if (host_.flag("python_stacks")) python_stacks_.emplace(host_);
  if (host_.flag("cross_check")) {
    memory_report_.emplace(host_);
    device_stats_.emplace(host_);
  }
}

TorchSource::~TorchSource() {
  try {
    let_go();
  } catch (const std::exception& error) {
    host_.error(std::string("cannot detach from torch: ") + error.what());
  }
  wait_for_emissions();
}

bool TorchSource::listens_to(const char* id) const {
  if (std::strcmp(id, STRATA_EXT_STEP) == 0) return true;
  if (std::strcmp(id, STRATA_EXT_MEMORY) == 0) return memory_report_ || python_stacks_;
  if (std::strcmp(id, STRATA_EXT_PHASE) == 0) return true;
  if (std::strcmp(id, STRATA_EXT_FLUSH) == 0) return true;
  return std::strcmp(id, STRATA_EXT_RUN) == 0;
}

void TorchSource::begin_run(const strata_when& when, const strata_run_info&) {
  stepped_ = false;
  window_steps_ = 0;
  require(wait_for_emissions() ? "" : kStuckThread);
  if (hears_of_memory(host_, *emit_)) trace_allocators();
  if (memory_report_) memory_report_->begin();
  connect_host(host_.abi(), emit_, training_);
  if (python_stacks_) python_stacks_->begin();
  report_saved_tensors(saved_tensors_);
  if (ops_ != "none") op_observer_.emplace(shapes_);
  if (training_ != nullptr) training_watch_.emplace();
  if (training_ != nullptr && host_.flag("program_layers")) program_layers_.emplace();
  if (samples_) samples_->take(when);
}

void TorchSource::trace_allocators() {
  allocator_settings_.emplace(host_);
  require(install_cpu_allocator());
  const TracedCuda cuda = trace_cuda_allocator(memory_report_.has_value());
  if (cuda.how != CudaTracing::kNone) {
    report_cuda_allocator(host_, cuda);
  } else if (training_ != nullptr) {
    // A program of others starts CUDA when it likes; our trainer has by now.
    waiting.store(&host_);
    when_cuda_starts(&trace_late_cuda);
  }
  if (const std::string problem = install_pinned_allocator(); !problem.empty()) host_.warning(problem);
}

void TorchSource::ready(const strata_when& when) {
  if (training_ != nullptr && !find_python_interpreter()) report_trainer(host_, "libtorch");
  if (samples_) samples_->take(when);
}

// Whether operators are observed in the window's step of that number. Others take their names from one that
// does the same (host/analysis/attribution/equal_steps.hpp).
bool TorchSource::is_detailed(std::uint64_t nth) const {
  return in_all_steps_ || nth < kFirstDetailedSteps || nth % kDetailedStepEvery == 0;
}

// It watches each operator, so only programs pay for it whose sizes depend on values.
void TorchSource::follow_small_values() {
  if (!small_values_ && were_sizes_unknown()) small_values_.emplace(host_);
}

// Interest changes when the window opens or closes, at step boundaries. Operators of steps before the window
// are not observed, because torch's own record of each would cost more than everything else that is traced.
// The first step is an exception: the memory that it allocates stays (optimizer state, gradients).
void TorchSource::begin_step(const strata_when& when, const strata_step_info& step) {
  const bool in_window = step.schedule != STRATA_STEP_WAIT;
  const bool looking = ops_ == "run" || !stepped_ || (in_window && is_detailed(window_steps_));
  if (in_window) ++window_steps_;
  stepped_ = true;
  report_late_rank();
  follow_small_values();
  if (op_observer_) op_observer_->follow_interest(looking);
  if (training_watch_) training_watch_->follow_operators(op_observer_ && looking);
  if (program_layers_) program_layers_->begin_step();
  report_cuda_workspaces();
  if (layer_outputs_ && step.schedule == STRATA_STEP_ACTIVE) layer_outputs_->begin();
  if (samples_) samples_->take(when);
  if (device_stats_) device_stats_->write_and_reset(when);
  if (allocator_settings_) allocator_settings_->write();
}

void TorchSource::flush(std::uint32_t reason, std::int64_t) {
  exiting_ = reason == STRATA_FLUSH_EXITING;
}

void TorchSource::end_step(const strata_when& when, const strata_step_info&, const strata_step_result&) {
  if (exiting_) return;
  if (layer_outputs_) layer_outputs_->end();
  if (device_stats_) device_stats_->write(when);
  if (samples_) samples_->take(when);
}

// A program without an optimizer has no steps.
void TorchSource::end_phase(const strata_when& when, const strata_phase_info& phase) {
  if (exiting_) return;
  if (phase.kind == STRATA_PHASE_BACKWARD) report_cuda_workspaces();
  follow_small_values();
  if (sampled_at_ == "phase") samples_->take_what_changed(when);
}

void TorchSource::end_run(const strata_when& when, std::uint32_t) {
  // A thread that is gone may have kept a lock, and CUDA may be.
  if (!exiting_) {
    report_cuda_workspaces();
    if (device_stats_) device_stats_->write(when);
    if (samples_) samples_->take(when);
  }
  if (allocator_settings_) allocator_settings_->write();
  report_late_rank();
  if (const std::string trainer = take_trainer(); !trainer.empty()) report_trainer(host_, trainer);
  let_go();
}

void TorchSource::on_memory(const strata_when& when, const strata_memory_event& memory) {
  if (memory_report_) memory_report_->on_memory(when, memory);
  if (python_stacks_) python_stacks_->on_memory(when, memory);
}

// A launcher's rank is known from the start.
void TorchSource::report_late_rank() {
  if (knows_rank_ || training_ == nullptr) return;
  const std::optional<std::uint32_t> rank = process_rank();
  if (!rank) return;
  knows_rank_ = true;
  report_rank(host_, *rank);
}

void TorchSource::let_go() {
  when_cuda_starts(nullptr);
  waiting.store(nullptr);
  training_watch_.reset();
  program_layers_.reset();
  if (const std::string problem = take_naming_problem(); !problem.empty())
    host_.warning("the program's names of tensors are not available, so tensors are numbered: " + problem);
  op_observer_.reset();
  if (python_stacks_) python_stacks_->end();
  if (layer_outputs_) layer_outputs_->end();
  report_saved_tensors(false);
  restore_cpu_allocator();
  restore_pinned_allocator();
  restore_cuda_allocator();
  disconnect_host();
  if (memory_report_) memory_report_->end();
  if (const std::uint64_t blocks = take_blocks_not_followed(); blocks != 0) {
    host_.warning(std::to_string(blocks) +
                  " CPU blocks could not be traced, because their deleter was not their allocator's. They "
                  "are missing from this run's memory.");
  }
}

}  // namespace strata::torch_source

STRATA_EXPORT_PLUGINS(strata::torch_source::TorchSource)

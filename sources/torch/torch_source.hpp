// SPDX-License-Identifier: Apache-2.0
// The source `torch`: what a run observes of LibTorch. Its parts are switched on at the run's begin and off
// at its end; those that torch keeps permanently stay valid and do nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sources/torch/allocators/allocator_settings.hpp"
#include "sources/torch/memory_counts/device_stats.hpp"
#include "sources/torch/memory_counts/memory_report.hpp"
#include "sources/torch/memory_counts/memory_samples.hpp"
#include "sources/torch/ops/layer_outputs.hpp"
#include "sources/torch/ops/op_observer.hpp"
#include "sources/torch/options.hpp"
#include "sources/torch/python/python_stack_log.hpp"
#include "sources/torch/training/absent_peers.hpp"
#include "sources/torch/training/program_layers.hpp"
#include "sources/torch/training/small_values.hpp"
#include "sources/torch/training/training_watch.hpp"
#include "strata/ext/emit.h"
#include "strata/ext/training.h"
#include "strata/plugin.hpp"

namespace strata::torch_source {

class TorchSource {
 public:
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = STRATA_DESCRIPTOR_SOURCE | STRATA_DESCRIPTOR_WHOLE_RUN,
      .id = "torch",
      .version = "0.2.0",
      .summary = "Allocations, operators and saved tensors of LibTorch.",
      .options = kOptions.data(),
      .option_count = kOptions.size(),
      .reserved = 0};

  // [loop-thread] Makes all checks that may fail. Throws std::runtime_error with the reason.
  explicit TorchSource(const Host& host);
  // [loop-thread] Ends a run that is still open.
  ~TorchSource();
  TorchSource(const TorchSource&) = delete;
  TorchSource& operator=(const TorchSource&) = delete;

  // Listens to its own memory events only if it needs them, because every listener makes the host deliver
  // them.
  bool listens_to(const char* id) const;

  // Throws std::runtime_error if torch has changed since the constructor so that it cannot be traced.
  void begin_run(const strata_when& when, const strata_run_info& run);
  void ready(const strata_when& when);
  void begin_step(const strata_when& when, const strata_step_info& step);
  void end_step(const strata_when& when, const strata_step_info& step, const strata_step_result& result);
  void end_phase(const strata_when& when, const strata_phase_info& phase);
  void flush(std::uint32_t reason, std::int64_t deadline_ns);
  // Also called at process exit, when other threads may be gone: does not wait for any.
  void end_run(const strata_when& when, std::uint32_t reason);
  void on_memory(const strata_when& when, const strata_memory_event& memory);

 private:
  void trace_allocators();
  bool is_detailed(std::uint64_t nth) const;
  void report_late_rank();
  void follow_small_values();
  void let_go();

  Host host_;
  const strata_emit_service* emit_;
  const strata_training_service* training_;  // null: steps and phases are marked
  std::string ops_;
  bool in_all_steps_;
  bool saved_tensors_;
  Shapes shapes_;
  std::uint64_t window_steps_ = 0;  // that have begun
  bool knows_rank_;                 // from the start, or reported
  bool stepped_ = false;            // this run has begun a step
  bool exiting_ = false;            // torch's and CUDA's own objects may already be destroyed
  std::string sampled_at_;
  std::optional<MemorySamples> samples_;
  std::optional<MemoryReport> memory_report_;
  std::optional<DeviceStatsReport> device_stats_;
  std::optional<AllocatorSettingsLog> allocator_settings_;
  std::optional<LayerOutputs> layer_outputs_;
  std::optional<AbsentPeers> absent_peers_;
  std::optional<SmallValues> small_values_;
  std::optional<PythonStackLog> python_stacks_;
  std::optional<OpObserver> op_observer_;
  std::optional<TrainingWatch> training_watch_;
  std::optional<ProgramLayers> program_layers_;
};

}  // namespace strata::torch_source

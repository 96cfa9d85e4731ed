// SPDX-License-Identifier: Apache-2.0
// The source `torch`: what one run sees of LibTorch. Its parts are switched on at the run's begin and off at
// its end; what torch keeps of them for good stays valid and silent.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "sources/torch/cuda_workspaces.hpp"
#include "sources/torch/device_stats.hpp"
#include "sources/torch/layer_outputs.hpp"
#include "sources/torch/memory_report.hpp"
#include "sources/torch/memory_samples.hpp"
#include "sources/torch/op_observer.hpp"
#include "sources/torch/python_stack_log.hpp"
#include "sources/torch/training/program_layers.hpp"
#include "sources/torch/training/training_watch.hpp"
#include "strata/ext/emit.h"
#include "strata/ext/training.h"
#include "strata/plugin.hpp"

namespace strata::torch_source {

constexpr strata_option choice_option(const char* key, const char* choices, const char* default_text,
                                      const char* help) {
  return {.key = key,
          .type = STRATA_OPTION_TEXT,
          .reserved = 0,
          .default_text = default_text,
          .help = help,
          .choices = choices,
          .minimum = 0,
          .maximum = 0};
}

constexpr strata_option flag_option(const char* key, const char* default_text, const char* help) {
  return {.key = key,
          .type = STRATA_OPTION_FLAG,
          .reserved = 0,
          .default_text = default_text,
          .help = help,
          .choices = nullptr,
          .minimum = 0,
          .maximum = 0};
}

inline constexpr std::array<strata_option, 8> kOptions{{
    choice_option("ops", "window|run|none", "window",
                  "Tell of operators, so that allocations have a name: all but those of steps that wait for "
                  "the window (save the first, whose blocks stay), those of the whole run, or none."),
    flag_option("saved_tensors", "false",
                "Tell of what autograd keeps for backward, through an autograd engine of our own."),
    flag_option("cross_check", "false",
                "Write c10's own memory reporting and DeviceStats into the run store, to be compared with "
                "ours. DeviceStats' peaks are reset at each step's begin."),
    choice_option(
        "memory_samples", "phase|step|none", "phase",
        "Sample what the devices have in use and what the process holds of the host's memory: where "
        "the run, steps and phases begin or end (the devices at phases only when segments came or "
        "went), where the run and steps do, or not at all."),
    flag_option("layer_outputs", "false",
                "Tell how many bytes each operator of the window's first step returned, for an estimate of "
                "activations."),
    flag_option("python_stacks", "false",
                "Tell where in the Python program each operator that allocates was called: for reports that "
                "show stacks. Only of threads that Python knows."),
    flag_option(
        "shapes", "false",
        "Tell the shapes of matrix products, convolutions and attention, for their FLOP/s. Costs each "
        "operator about as much again as telling of it."),
    flag_option("program_layers", "false",
                "In a Python program that attaches no model itself: find its models, once its first step "
                "begins, and tell of each module's forward."),
}};

class TorchSource {
 public:
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = STRATA_DESCRIPTOR_SOURCE | STRATA_DESCRIPTOR_WHOLE_RUN,
      .id = "torch",
      .version = "0.1.0",
      .summary = "Allocations, operators and saved tensors of LibTorch.",
      .options = kOptions.data(),
      .option_count = kOptions.size(),
      .reserved = 0};

  // [driver] Checks everything that may refuse. Throws std::runtime_error with the reason.
  explicit TorchSource(const Host& host);
  // [driver] Ends what was not ended.
  ~TorchSource();
  TorchSource(const TorchSource&) = delete;
  TorchSource& operator=(const TorchSource&) = delete;

  // Its own memory events only where it needs them: every listener makes the host tell them.
  bool listens_to(const char* id) const;

  // Throws std::runtime_error when torch has changed since the constructor so that it cannot be traced.
  void begin_run(const strata_when& when, const strata_run_info& run);
  void ready(const strata_when& when);
  void begin_step(const strata_when& when, const strata_step_info& step);
  void end_step(const strata_when& when, const strata_step_info& step, const strata_step_result& result);
  void end_phase(const strata_when& when, const strata_phase_info& phase);
  void flush(std::uint32_t reason, std::int64_t deadline_ns);
  // Also at a process's exit, where other threads may be gone: nothing here waits for one.
  void end_run(const strata_when& when, std::uint32_t reason);
  void on_memory(const strata_when& when, const strata_memory_event& memory);

 private:
  void let_go();

  Host host_;
  const strata_emit_service* emit_;
  const strata_training_service* training_;  // null: steps and phases are marked
  std::string ops_;
  bool saved_tensors_;
  Shapes shapes_;
  bool stepped_ = false;  // this run has begun a step
  bool exiting_ = false;  // torch's own objects may be destroyed already, and CUDA's
  std::string sampled_at_;
  std::optional<MemorySamples> samples_;
  std::optional<MemoryReport> memory_report_;
  std::optional<DeviceStatsReport> device_stats_;
  std::optional<LayerOutputs> layer_outputs_;
  std::optional<PythonStackLog> python_stacks_;
  std::optional<OpObserver> op_observer_;
  std::optional<TrainingWatch> training_watch_;
  std::optional<ProgramLayers> program_layers_;
  CudaWorkspaces workspaces_;
};

}  // namespace strata::torch_source

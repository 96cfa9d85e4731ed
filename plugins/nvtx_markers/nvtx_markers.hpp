// SPDX-License-Identifier: Apache-2.0
// Shows the training in NVTX tools (Nsight Systems, Nsight Compute, Compute Sanitizer): ranges for the
// window, steps, micro-batches, phases and layers, memory, and thread names, all in the domain `strata`
// (docs/nsys.md). It records nothing itself.
//
// A tool is present from the process's start or not at all. Without one the plugin listens to nothing, so
// events cost nothing extra.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>

#include "plugins/nvtx_markers/counters.hpp"
#include "plugins/nvtx_markers/domain.hpp"
#include "plugins/nvtx_markers/heaps.hpp"
#include "plugins/nvtx_markers/layer_ranges.hpp"
#include "plugins/nvtx_markers/loop_ranges.hpp"
#include "plugins/nvtx_markers/memory_track.hpp"
#include "plugins/nvtx_markers/profiler_switch.hpp"
#include "plugins/nvtx_markers/thread_ranges.hpp"
#include "strata/option.hpp"
#include "strata/plugin.hpp"

namespace strata::nvtx_markers {

// Features missing from the headers it was built with are not offered.
inline constexpr std::array kOptions {
  option::choice("capture", "none|nvtx|cuda_profiler_api", "none",
                 "How to limit a capture to the active window. none: not at all. nvtx: mark ranges only in "
                 "the window, so that nsys -c nvtx -p step@strata records its steps. cuda_profiler_api: call "
                 "cudaProfilerStart and cudaProfilerStop, for nsys -c cudaProfilerApi."),
      option::flag("layers", "true", "Mark a range for each running layer, on its thread."),
      option::choice("memory", kBuiltWithCounters ? "counters|marks|none" : "marks|none",
                     kBuiltWithCounters ? "counters" : "marks",
                     kBuiltWithCounters
                         ? "Show allocated and reserved bytes: as NVTX counters at every change if the tool "
                           "supports counters, otherwise as marks at the ends of phases and steps."
                         : "Show allocated and reserved bytes as marks at the ends of phases and steps; the "
                           "NVTX headers of this build have no counters."),
#if STRATA_NVTX_HEAPS
      option::flag(
          "heaps", "false",
          "Register CUDA segments as NVTX heaps and blocks as regions in them, for Compute Sanitizer."),
#endif
};

// The values of the option `capture`.
enum class Capture { kNone, kNvtx, kCudaProfilerApi };

class NvtxMarkers {
 public:
  // Whole run: a tool that records the whole run sees all of it, and memory is counted from the first
  // allocation on.
  static constexpr strata_descriptor kDescriptor{
      .struct_size = sizeof(strata_descriptor),
      .flags = STRATA_DESCRIPTOR_WHOLE_RUN,
      .id = "nvtx_markers",
      .version = "0.2.0",
      .summary =
          "Steps, phases, layers and memory as NVTX ranges and counters, for Nsight Systems and other tools",
      .options = kOptions.data(),
      .option_count = kOptions.size(),
      .reserved = 0};

  explicit NvtxMarkers(const Host& host);

  bool listens_to(const char* id) const;

  void begin_run(const strata_when& when, const strata_run_info& run);
  void end_run(const strata_when& when, std::uint32_t reason);
  std::uint64_t begin_step(const strata_when& when, const strata_step_info& step);
  void end_step(const strata_when& when, const strata_step_info& step, const strata_step_result& result,
                std::uint64_t marked);
  std::uint64_t begin_phase(const strata_when& when, const strata_phase_info& phase);
  void end_phase(const strata_when& when, const strata_phase_info& phase, std::uint64_t marked);
  std::uint64_t begin_module(const strata_when& when, const strata_module_info& module);
  void end_module(const strata_when& when, const strata_module_info& module, std::uint64_t pushed);
  void on_memory(const strata_when& when, const strata_memory_event& memory);

 private:
  // Whether ranges that begin now are marked.
  bool marks() const noexcept { return marking_.load(std::memory_order_relaxed); }
  void open_window(const strata_step_info& first);
  void close_window(bool exiting);
  EndPayload end_payload(const strata_when& when) const;

  const Host host_;
  const Capture capture_;
  const bool layers_wanted_;
  Domain domain_{"strata"};
  ThreadRanges threads_{domain_};
  MemoryTrack memory_;
  std::optional<Heaps> heaps_;
  LoopRanges loop_thread_{domain_, threads_};
  LayerRanges layers_{domain_, threads_};
  ProfilerSwitch profiler_;
  bool in_window_ = false;
  std::atomic<bool> marking_{false};
};

}  // namespace strata::nvtx_markers

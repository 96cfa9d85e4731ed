// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/nvtx_markers.hpp"

#include <cstring>
#include <string>
#include <string_view>

#include "strata/ext/window.h"

namespace strata::nvtx_markers {
namespace {

Capture capture_named(std::string_view name) {
  if (name == "nvtx") return Capture::kNvtx;
  if (name == "cuda_profiler_api") return Capture::kCudaProfilerApi;
  return Capture::kNone;
}

MemoryMarks memory_marks_named(std::string_view name) {
  if (name == "counters") return MemoryMarks::kCounters;
  if (name == "marks") return MemoryMarks::kMarks;
  return MemoryMarks::kNone;
}

// The window's last step; of a host that has no window, none is.
bool is_last_of_window(const Host& host, std::uint64_t step) {
  const auto* const window = host.service<strata_window_service>(STRATA_EXT_WINDOW);
  return window != nullptr && step >= window->last_step(host.abi());
}

}  // namespace

NvtxMarkers::NvtxMarkers(const Host& host)
    : host_(host),
      capture_(capture_named(host.text("capture"))),
      layers_wanted_(host.flag("layers")),
      memory_(domain_, memory_marks_named(host.text("memory"))) {
#if STRATA_NVTX_HEAPS
  if (domain_.attached() && host.flag("heaps")) heaps_.emplace(domain_);
#endif
  marking_ = domain_.attached() && capture_ != Capture::kNvtx;
}

bool NvtxMarkers::listens_to(const char* id) const {
  const std::string_view interface(id);
  if (interface == STRATA_EXT_STEP) return domain_.attached() || capture_ == Capture::kCudaProfilerApi;
  if (interface == STRATA_EXT_PHASE) return domain_.attached();
  if (interface == STRATA_EXT_MODULE) return domain_.attached() && layers_wanted_;
  if (interface == STRATA_EXT_MEMORY) return memory_.listens() || heaps_.has_value();
  return true;
}

void NvtxMarkers::begin_run(const strata_when& when, const strata_run_info&) {
  if (!domain_.attached())
    host_.info(
        "no tool listens to NVTX in this process, so nothing is marked: start it with nsys profile, or see "
        "strata doctor");
  domain_.name_thread(when.thread, "loop thread");
  layers_.set_loop_thread(when.thread);
}

void NvtxMarkers::end_run(const strata_when&, std::uint32_t reason) {
  close_window(reason == STRATA_RUN_EXITED);
  marking_ = false;
  if (const std::uint32_t left = threads_.abandoned(); left != 0)
    host_.warning(std::to_string(left) +
                  " NVTX ranges stay open: the threads that opened them did not close them");
}

std::uint64_t NvtxMarkers::begin_step(const strata_when& when, const strata_step_info& step) {
  const bool active = step.schedule == STRATA_STEP_ACTIVE;
  if (active && !in_window_) open_window(step);
  if (!active) close_window(false);
  if (!marks()) return 0;
  layers_.set_loop_thread(when.thread);
  loop_thread_.begin_step(when, step);
  return 1;
}

void NvtxMarkers::end_step(const strata_when& when, const strata_step_info& step,
                           const strata_step_result& result, std::uint64_t marked) {
  if (marked != 0) {
    memory_.mark();
    EndPayload end = end_payload(when);
    end.step = step.index;
    end.tokens = result.tokens;
    loop_thread_.end_step(end);
  }
  if (in_window_ && is_last_of_window(host_, step.index)) close_window(false);
}

std::uint64_t NvtxMarkers::begin_phase(const strata_when& when, const strata_phase_info& phase) {
  if (!marks()) return 0;
  loop_thread_.begin_phase(when, phase, end_payload(when));
  layers_.set_loop_thread(when.thread);
  layers_.begin_phase(phase.kind, domain_.string(phase.name));
  return 1;
}

void NvtxMarkers::end_phase(const strata_when& when, const strata_phase_info&, std::uint64_t marked) {
  if (marked == 0) return;
  layers_.end_phase();
  memory_.mark();
  loop_thread_.end_phase(end_payload(when));
}

std::uint64_t NvtxMarkers::begin_module(const strata_when& when, const strata_module_info& module) {
  return marks() ? layers_.begin(when, module) : 0;
}

void NvtxMarkers::end_module(const strata_when& when, const strata_module_info&, std::uint64_t pushed) {
  layers_.end(when, pushed);
}

void NvtxMarkers::on_memory(const strata_when&, const strata_memory_event& memory) {
  if (memory_.listens()) memory_.on_memory(memory);
  if (heaps_) heaps_->on_memory(memory);
}

void NvtxMarkers::open_window(const strata_step_info& first) {
  in_window_ = true;
  if (capture_ == Capture::kCudaProfilerApi && !profiler_.start())
    host_.warning("capture: cuda_profiler_api captures nothing: " + profiler_.problem() +
                  "; without CUDA use capture: nvtx");
  loop_thread_.open_window(first);
  marking_ = domain_.attached();
}

void NvtxMarkers::close_window(bool exiting) {
  if (!in_window_) return;
  in_window_ = false;
  loop_thread_.close_window();
  if (capture_ == Capture::kNvtx) marking_ = false;
  // At the process's exit the device is not to be called any more; the tool ends with the process.
  if (!exiting && !profiler_.stop()) host_.warning("the capture may not have ended: " + profiler_.problem());
}

EndPayload NvtxMarkers::end_payload(const strata_when& when) const {
  EndPayload end;
  if (when.step != STRATA_NO_STEP) end.step = when.step;
  end.micro_batch = when.micro_batch;
  if (!memory_.listens() || !domain_.takes_end_payloads()) return end;
  const DeviceBytes bytes = memory_.of_training();
  end.allocated_bytes = bytes.allocated;
  end.reserved_bytes = bytes.reserved;
  return end;
}

}  // namespace strata::nvtx_markers

STRATA_EXPORT_PLUGINS(strata::nvtx_markers::NvtxMarkers)

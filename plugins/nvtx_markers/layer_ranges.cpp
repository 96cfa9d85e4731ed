// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/layer_ranges.hpp"

#include <pthread.h>

#include <array>

#include "plugins/nvtx_markers/colours.hpp"

namespace strata::nvtx_markers {
namespace {

// One row a path and direction in a tool's summary: forward and backward are not added up.
const char* suffix(std::uint32_t direction) {
  switch (direction) {
    case STRATA_MODULE_BACKWARD:
      return " backward";
    case STRATA_MODULE_RECOMPUTE:
      return " recompute";
    default:
      return "";
  }
}

}  // namespace

void LayerRanges::begin_phase(std::uint32_t kind, nvtxStringHandle_t name) {
  phases_.push_back({kind, name});
  set_phase(phases_.back());
}

void LayerRanges::end_phase() {
  if (!phases_.empty()) phases_.pop_back();
  set_phase(phases_.empty() ? Phase{} : phases_.back());
}

void LayerRanges::set_phase(const Phase& innermost) noexcept {
  phase_kind_.store(innermost.kind, std::memory_order_relaxed);
  phase_.store(innermost.name, std::memory_order_relaxed);
}

std::uint64_t LayerRanges::begin(const strata_when& when, const strata_module_info& module) {
  const std::uint64_t outer = push_phase(when, module) ? 1 : 0;
  const std::uint32_t direction = module.direction & 3;
  // The root has no path.
  const strata_name& name = module.path.text[0] == '\0' ? module.type : module.path;
  threads_.push({domain_.string(name, direction, suffix(direction)), Category::kLayer,
                 layer_colour(direction), step_payload(when)});
  return outer + 1;
}

void LayerRanges::end(const strata_when& when, std::uint64_t pushed) {
  for (std::uint64_t i = 0; i < pushed; ++i) threads_.pop(when.thread);
}

bool LayerRanges::push_phase(const strata_when& when, const strata_module_info& module) {
  const std::uint32_t loop_thread = loop_thread_.load(std::memory_order_relaxed);
  if (module.parent != STRATA_NONE || when.thread == loop_thread) return false;
  name_this_thread(when.thread);
  nvtxStringHandle_t const phase = phase_.load(std::memory_order_relaxed);
  if (phase == nullptr) return false;
  threads_.push({phase, Category::kPhase, phase_colour(phase_kind_.load(std::memory_order_relaxed)),
                 step_payload(when)});
  return true;
}

// The framework's name (pt_autograd_0).
void LayerRanges::name_this_thread(std::uint32_t thread) const noexcept {
  thread_local const Domain* named_for = nullptr;
  if (named_for == &domain_) return;
  named_for = &domain_;
  std::array<char, 16> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) == 0)
    domain_.name_thread(thread, name.data());
}

}  // namespace strata::nvtx_markers

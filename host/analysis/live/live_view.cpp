// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/analysis/allocator/other_memory.hpp"
#include "host/analysis/live/live_store.hpp"
#include "strata/ext/memory.h"

namespace strata::analysis {

const char* to_string(LiveState state) {
  switch (state) {
    case LiveState::kWaiting:
      return "waiting";
    case LiveState::kRunning:
      return "running";
    case LiveState::kEnded:
      return "ended";
    case LiveState::kKilled:
      return "killed";
    case LiveState::kUnwritten:
      return "unwritten";
  }
  return "unknown";
}

LiveDevice LiveStore::view_of(const Device& device, const DeviceState& state) const {
  LiveDevice shown;
  shown.name = device_name(device);
  shown.allocated_bytes = state.blocks.allocated_bytes();
  shown.peak_allocated_bytes = state.blocks.peak().bytes;
  shown.reserved_bytes = state.blocks.reserved_bytes();
  shown.peak_reserved_bytes = state.blocks.peak_reserved_bytes();
  const bool is_cuda = device.type == STRATA_DEVICE_CUDA;
  if (state.sample.total_bytes != 0) {
    shown.used_bytes = state.sample.used_bytes;
    shown.capacity_bytes = state.sample.total_bytes;
  } else if (is_cuda && dry_memory_bytes_ != 0) {
    shown.capacity_bytes = dry_memory_bytes_;
  }
  shown.peak_step = state.peak_step;
  shown.peak_phase = state.peak_phase;
  shown.categories = state.blocks.categories(phases_);
  shown.failures = state.blocks.failures();
  shown.last_failure_bytes = state.blocks.last_failure_bytes();
  return shown;
}

LiveRank LiveStore::view(std::int64_t now_ns) const {
  LiveRank rank = rank_;
  const std::int64_t until_ns = rank.state == LiveState::kRunning ? std::max(now_ns, newest_ns_) : newest_ns_;
  rank.elapsed_ns =
      begin_ns_ == 0 ? 0.0 : static_cast<double>(std::max<std::int64_t>(until_ns - begin_ns_, 0));
  rank.step = steps_.current();
  rank.step_open = steps_.is_open();
  rank.schedule = steps_.schedule();
  rank.steps_ended = steps_.ended();
  rank.last_step_ns = steps_.last_ns();
  rank.pace = steps_.pace();
  if (!rank.dry.empty() && rank.pace) rank.pace->counted_per_second.reset();  // only the host's time
  rank.loss = steps_.loss();
  rank.loss_step = steps_.loss_step();
  if (const LivePhase* const open = phases_.open(); open != nullptr)
    rank.phase_ns = static_cast<double>(std::max<std::int64_t>(until_ns - open->begin_ns, 0));
  for (const auto& [device, state] : devices_) rank.devices.push_back(view_of(device, state));
  const auto order = [](const LiveDevice& device) {
    return std::pair(!device.name.starts_with("cuda"), UINT64_MAX - device.peak_allocated_bytes);
  };
  std::ranges::stable_sort(rank.devices, {}, order);
  return rank;
}

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
#include "plugins/warmup_analyzer/activity_log.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace strata::warmup_analyzer {
namespace {

constexpr std::int64_t kLongCallNs = 500'000;

constexpr std::array<std::string_view, 15> kStartCalls{
    "cuInit",        "cuCtxCreate", "cuDevicePrimaryCtx",  "cudaInitDevice", "cuModuleLoad",
    "cuLibraryLoad", "cudaLibrary", "cuModuleGetFunction", "cudaMalloc",     "cuMemAlloc",
    "cuMemCreate",   "cuMemMap",    "cudaHostAlloc",       "cuMemHostAlloc", "cudaHostRegister"};

// Waits for the device, however long, are no start.
constexpr std::array<std::string_view, 3> kWaits{"Synchronize", "cudaMemcpy", "cuMemcpy"};

std::string_view name_of(const strata_activity_event& activity) {
  return activity.name.text == nullptr ? std::string_view{} : activity.name.text;
}

}  // namespace

bool is_of_a_start(const strata_activity_event& call) noexcept {
  const std::string_view name = name_of(call);
  if (std::ranges::any_of(kStartCalls, [&](std::string_view start) { return name.starts_with(start); }))
    return true;
  const bool waits =
      std::ranges::any_of(kWaits, [&](std::string_view part) { return name.find(part) != name.npos; });
  return !waits && call.end_ns - call.begin_ns >= kLongCallNs;
}

void ActivityLog::note(const strata_when& when, const strata_activity_event& activity) const noexcept {
  switch (activity.kind) {
    case STRATA_ACTIVITY_API:
      if (!is_of_a_start(activity)) return;
      break;
    case STRATA_ACTIVITY_OVERHEAD:
    case STRATA_ACTIVITY_MODULE:
    case STRATA_ACTIVITY_JIT:
      break;
    default:
      return;
  }
  table_.append({.sequence = when.sequence,
                 .begin_ns = activity.begin_ns,
                 .end_ns = activity.end_ns,
                 .bytes = activity.bytes,
                 .thread = STRATA_HAS_FIELD(strata_activity_event, &activity, thread) ? activity.thread : 0,
                 .kind = activity.kind,
                 .detail = STRATA_HAS_FIELD(strata_activity_event, &activity, detail) ? activity.detail : 0,
                 .name = activity.name.id,
                 .modelled = activity.modelled,
                 .reserved = 0});
}

}  // namespace strata::warmup_analyzer

// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/warm_up/causes.hpp"

#include <algorithm>
#include <array>

#include "strata/ext/activity.h"

namespace strata::analysis {
namespace {

constexpr std::array<CauseDescription, kCauses> kDescriptions{{
    {"cuda_context", Certainty::kTimed, Detector::kActivities},
    {"modules", Certainty::kTimed, Detector::kActivities},
    {"kernels", Certainty::kTimed, Detector::kActivities},
    {"jit", Certainty::kTimed, Detector::kActivities},
    {"allocator_segments", Certainty::kTimed, Detector::kActivities},
    {"profiler", Certainty::kTimed, Detector::kActivities},
    {"driver", Certainty::kTimed, Detector::kActivities},
    {"processor_wait", Certainty::kDifference, Detector::kCounters},
    {"projector_svd", Certainty::kDifference, Detector::kOperators},
    {"communicator", Certainty::kDifference, Detector::kOperators},
    {"library_handles", Certainty::kDifference, Detector::kOperators},
    {"first_calls", Certainty::kDifference, Detector::kOperators},
    {"page_faults", Certainty::kEstimated, Detector::kCounters},
    {"threads", Certainty::kEstimated, Detector::kCounters},
    {"programs", Certainty::kAtMost, Detector::kCounters},
    {"optimizer_state", Certainty::kAtMost, Detector::kPhases},
    {"data_loader", Certainty::kAtMost, Detector::kPhases},
    {"shared_libraries", Certainty::kAtMost, Detector::kCounters},
}};

template <std::size_t kCount>
bool begins_with_one_of(std::string_view name, const std::array<std::string_view, kCount>& beginnings) {
  return std::ranges::any_of(beginnings, [&](std::string_view begin) { return name.starts_with(begin); });
}

template <std::size_t kCount>
bool holds_one_of(std::string_view name, const std::array<std::string_view, kCount>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return name.find(part) != name.npos; });
}

constexpr std::array<std::string_view, 4> kContextCalls{"cuInit", "cuCtxCreate", "cuDevicePrimaryCtx",
                                                        "cudaInitDevice"};
constexpr std::array<std::string_view, 4> kModuleCalls{"cuModuleLoad", "cuLibraryLoad", "cudaLibrary",
                                                       "cuModuleGetFunction"};
constexpr std::array<std::string_view, 8> kMemoryCalls{
    "cudaMalloc",    "cuMemAlloc",     "cuMemCreate",      "cuMemMap",
    "cudaHostAlloc", "cuMemHostAlloc", "cudaHostRegister", "cuMemAddressReserve"};

constexpr std::array<std::string_view, 4> kProjections{"linalg_svd", "aten::svd", "linalg_qr", "geqrf"};
constexpr std::array<std::string_view, 4> kCollectives{"c10d::", "nccl:", "gloo:", "mpi:"};
// Operators computed by a library: cuBLAS, cuDNN, cuSOLVER, cuFFT, oneDNN, MKL.
constexpr std::array<std::string_view, 15> kLibraryOperators{
    "mm",     "addmv", "matmul",  "::mv", "::dot", "conv",       "mkldnn",
    "onednn", "cudnn", "linalg_", "fft",  "lstm",  "batch_norm", "scaled_dot_product",
    "linear"};

Cause cause_of_call(std::string_view api) {
  if (begins_with_one_of(api, kContextCalls)) return Cause::kContext;
  if (begins_with_one_of(api, kModuleCalls)) return Cause::kModules;
  if (begins_with_one_of(api, kMemoryCalls)) return Cause::kSegments;
  return Cause::kDriver;
}

Cause cause_of_overhead(std::uint32_t detail) {
  switch (detail) {
    case STRATA_OVERHEAD_COMPILER:
      return Cause::kJit;
    case STRATA_OVERHEAD_MODULE_LOADING:
      return Cause::kModules;
    case STRATA_OVERHEAD_FUNCTION_LOADING:
      return Cause::kKernels;
    case STRATA_OVERHEAD_BUFFER_FLUSH:
    case STRATA_OVERHEAD_INSTRUMENTATION:
    case STRATA_OVERHEAD_RESOURCE:
    case STRATA_OVERHEAD_ACTIVITY_BUFFER:
      return Cause::kProfiler;
    default:
      return Cause::kDriver;
  }
}

}  // namespace

const CauseDescription& describe(Cause cause) {
  return kDescriptions.at(static_cast<std::size_t>(cause));
}

std::string_view to_string(Certainty certainty) {
  constexpr std::array<std::string_view, 4> kNames{"timed", "difference", "estimated", "at_most"};
  return kNames.at(static_cast<std::size_t>(certainty));
}

std::string_view to_string(Detector detector) {
  constexpr std::array<std::string_view, 4> kNames{"activities", "operators", "counters", "phases"};
  return kNames.at(static_cast<std::size_t>(detector));
}

Cause cause_of_activity(std::uint32_t kind, std::uint32_t detail, std::string_view api) {
  switch (kind) {
    case STRATA_ACTIVITY_OVERHEAD:
      return cause_of_overhead(detail);
    case STRATA_ACTIVITY_JIT:
      return Cause::kJit;
    case STRATA_ACTIVITY_MODULE:
      return Cause::kModules;
    default:
      return cause_of_call(api);
  }
}

Cause cause_of_operator(std::string_view name) {
  if (holds_one_of(name, kProjections)) return Cause::kProjector;
  if (begins_with_one_of(name, kCollectives)) return Cause::kCommunicator;
  return holds_one_of(name, kLibraryOperators) ? Cause::kLibraryHandles : Cause::kFirstCalls;
}

}  // namespace strata::analysis

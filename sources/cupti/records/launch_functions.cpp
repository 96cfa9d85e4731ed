// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/launch_functions.hpp"

#include <algorithm>
#include <array>

namespace strata::cupti {
namespace {

bool runtime_launches(CUpti_CallbackId function) {
  switch (function) {
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000:
    case CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000:
    case CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000:
    case CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000:
      return true;
    default:
      return false;
  }
}

bool driver_launches(CUpti_CallbackId function) {
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGrid:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchGridAsync:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch_ptsz:
      return true;
    default:
      return false;
  }
}

constexpr std::array kQuestions = {
    CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v10010,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v2_v11030,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v12030,
    CUPTI_RUNTIME_TRACE_CBID_cudaThreadExchangeStreamCaptureMode_v10010,
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000,
    CUPTI_RUNTIME_TRACE_CBID_cudaPointerGetAttributes_v4000,
    CUPTI_RUNTIME_TRACE_CBID_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000,
};

// Prefixes of the names of driver functions, which end with various versions and stream suffixes.
constexpr std::array<std::string_view, 14> kPastRuntime = {"cuLaunch",
                                                           "cuGraphLaunch",
                                                           "cuMemcpy",
                                                           "cuMemset",
                                                           "cuModuleLoadData",
                                                           "cuLibraryLoad",
                                                           "cuMemCreate",
                                                           "cuMemRelease",
                                                           "cuMemMap",
                                                           "cuMemUnmap",
                                                           "cuMemSetAccess",
                                                           "cuCtxSynchronize",
                                                           "cuStreamSynchronize",
                                                           "cuEventSynchronize"};

}  // namespace

bool launches(CUpti_ActivityKind kind, CUpti_CallbackId function) {
  if (kind == CUPTI_ACTIVITY_KIND_INTERNAL_LAUNCH_API) return true;
  return kind == CUPTI_ACTIVITY_KIND_RUNTIME ? runtime_launches(function) : driver_launches(function);
}

std::span<const CUpti_runtime_api_trace_cbid> questions() {
  return kQuestions;
}

bool is_called_past_runtime(std::string_view driver_function) {
  return std::ranges::any_of(
      kPastRuntime, [&](std::string_view beginning) { return driver_function.starts_with(beginning); });
}

}  // namespace strata::cupti

// SPDX-License-Identifier: Apache-2.0
// The profiler's switch. Tools that profile this device use CUPTI and none waits for the switch, so it has no
// effect.
#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"

using namespace strata::dry_gpu;

// The wheels have no cuda_profiler_api.h.
// NOLINTBEGIN(readability-identifier-naming): CUDA's names
#pragma GCC visibility push(default)
extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}
#pragma GCC visibility pop
// NOLINTEND(readability-identifier-naming)

cudaError_t cudaProfilerStart() {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStart_v4000);
  return recorded.answer(call([](Machine&, ThreadState&) { return cudaSuccess; }));
}

cudaError_t cudaProfilerStop() {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaProfilerStop_v4000);
  return recorded.answer(call([](Machine&, ThreadState&) { return cudaSuccess; }));
}

// SPDX-License-Identifier: Apache-2.0
// Transforms that compute nothing.
#include "dry_gpu/cufft/plans.hpp"

using namespace strata::dry_gpu;

namespace {

cufftResult execute(cufftHandle handle, const void* input, const void* output) {
  cudaStream_t stream_handle = nullptr;
  const cufftResult known = plans().with(handle, [&](const Plan& plan) {
    if (!plan.is_made) return CUFFT_INVALID_PLAN;
    stream_handle = plan.stream;
    return CUFFT_SUCCESS;
  });
  if (known != CUFFT_SUCCESS) return known;
  if (input == nullptr || output == nullptr) return CUFFT_INVALID_VALUE;
  const cudaError_t error = call_on(stream_handle, [](Machine& machine, ThreadState&, CUstream_st& stream) {
    return submit_library_call(machine, stream);
  });
  return error == cudaSuccess ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

// For transforms that have one: from real to complex and back there is one direction each.
cufftResult execute_towards(cufftHandle handle, const void* input, const void* output, int direction) {
  if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
  return execute(handle, input, output);
}

}  // namespace

cufftResult cufftXtExec(cufftHandle handle, void* input, void* output, int) {
  return execute(handle, input, output);
}
cufftResult cufftExecC2C(cufftHandle handle, cufftComplex* input, cufftComplex* output, int direction) {
  return execute_towards(handle, input, output, direction);
}
cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex* input, cufftDoubleComplex* output,
                         int direction) {
  return execute_towards(handle, input, output, direction);
}
cufftResult cufftExecR2C(cufftHandle handle, cufftReal* input, cufftComplex* output) {
  return execute(handle, input, output);
}
cufftResult cufftExecC2R(cufftHandle handle, cufftComplex* input, cufftReal* output) {
  return execute(handle, input, output);
}
cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal* input, cufftDoubleComplex* output) {
  return execute(handle, input, output);
}
cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex* input, cufftDoubleReal* output) {
  return execute(handle, input, output);
}

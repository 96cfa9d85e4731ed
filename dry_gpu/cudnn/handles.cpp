// SPDX-License-Identifier: Apache-2.0
// cuDNN handles. The first one takes cuDNN's part of the context.
#include "dry_gpu/cudnn/call.hpp"
#include "dry_gpu/cudnn/workspace.hpp"

namespace strata::dry_gpu {

cudnnStatus_t compute_nothing(cudnnHandle_t handle, Workspace workspace) noexcept {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  const cudaError_t error = submit_library_call({handle->device, handle->stream}, workspace);
  return error == cudaSuccess ? CUDNN_STATUS_SUCCESS : CUDNN_STATUS_EXECUTION_FAILED_CUDART;
}

void add_time(cudnnHandle_t handle, std::int64_t ns) noexcept {
  call([&](Machine& machine, ThreadState&) {
    CUstream_st* const stream = machine.streams().resolve(handle->stream, handle->device);
    if (stream != nullptr) machine.streams().add_time(stream, ns);
    return cudaSuccess;
  });
}

std::size_t convolution_workspace_bytes() noexcept {
  const MachineState state = machine();
  return state.machine == nullptr ? 0 : state.machine->cudnn_workspace_bytes();
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

cudnnStatus_t cudnnCreate(cudnnHandle_t* result) {
  if (result == nullptr) return CUDNN_STATUS_BAD_PARAM;
  return make_handle<CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED, CUDNN_STATUS_NOT_INITIALIZED>(
      ContextPart::kCudnn, [&](int device) {
        *result = std::make_unique<cudnnContext>(cudnnContext{.device = device}).release();
      });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return destroy(handle);
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  if (handle == nullptr) return CUDNN_STATUS_BAD_PARAM;
  const cudaError_t error = call([&](Machine& machine, ThreadState&) {
    const CUstream_st* const resolved = machine.streams().resolve(stream, handle->device);
    return resolved != nullptr && resolved->device == handle->device ? cudaSuccess
                                                                     : cudaErrorInvalidResourceHandle;
  });
  if (error != cudaSuccess) return CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH;
  handle->stream = stream;
  return CUDNN_STATUS_SUCCESS;
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  if (has_null(handle, stream)) return CUDNN_STATUS_BAD_PARAM;
  *stream = handle->stream;
  return CUDNN_STATUS_SUCCESS;
}

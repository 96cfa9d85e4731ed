// SPDX-License-Identifier: Apache-2.0
// Copies and fills.
#include "dry_gpu/device/copies.hpp"

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"
#include "dry_gpu/device/kernels/kernels.hpp"

using namespace strata::dry_gpu;

namespace {

// A copy that the host waits for; in a stream that records it, that cannot be.
template <typename Body>
cudaError_t call_and_wait(Body&& body) {
  return call_on(cudaStreamLegacy, [&](Machine& machine, ThreadState& thread, CUstream_st& stream) {
    if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
    return body(machine, stream);
  });
}

// The host waits until the copy is done, also on the modelled clock; not if both sides are device memory
// ("API synchronization behavior" of CUDA's runtime).
cudaError_t wait_for_copy(Machine& machine, CUstream_st& stream, const void* target, const void* source,
                          cudaError_t error) {
  Clock* const clock = machine.clock();
  if (error != cudaSuccess || clock == nullptr) return error;
  const auto is_on_device = [&](const void* side) { return machine.is_device_address(address_of(side)); };
  if (!is_on_device(target) || !is_on_device(source)) clock->wait_until(clock->done_at(stream));
  return error;
}

// The variable's bytes from `offset`, which exist only on a device. They are not kept, and known bytes at its
// address become unknown.
cudaError_t write_symbol(Machine& machine, const void* symbol, std::size_t offset, std::size_t bytes) {
  const auto variable = kernels().variable(symbol);
  if (!variable) return cudaErrorInvalidSymbol;
  if (offset > variable->bytes || bytes > variable->bytes - offset) return cudaErrorInvalidValue;
  machine.contents().forget_all();
  return cudaSuccess;
}

}  // namespace

cudaError_t cudaMemcpy(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy_v3020);
  return recorded.answer(call_and_wait([&](Machine& machine, CUstream_st& stream) {
    return wait_for_copy(machine, stream, target, source, copy(machine, stream, target, source, bytes, kind));
  }));
}

cudaError_t cudaMemcpyAsync(void* target, const void* source, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    return copy(machine, stream, target, source, bytes, kind);
  }));
}

cudaError_t cudaMemcpyPeer(void* target, int, const void* source, int, std::size_t bytes) {
  return cudaMemcpy(target, source, bytes, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void* target, int, const void* source, int, std::size_t bytes,
                                cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyPeerAsync_v4000);
  return recorded.answer(cudaMemcpyAsync(target, source, bytes, cudaMemcpyDeviceToDevice, handle));
}

cudaError_t cudaMemcpy2D(void* target, std::size_t target_pitch, const void* source, std::size_t source_pitch,
                         std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2D_v3020);
  return recorded.answer(call_and_wait([&](Machine& machine, CUstream_st& stream) {
    const Rows rows{width, height, target_pitch, source_pitch};
    return wait_for_copy(machine, stream, target, source,
                         copy_rows(machine, stream, target, source, rows, kind));
  }));
}

cudaError_t cudaMemcpy2DAsync(void* target, std::size_t target_pitch, const void* source,
                              std::size_t source_pitch, std::size_t width, std::size_t height,
                              cudaMemcpyKind kind, cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemcpy2DAsync_v3020);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    return copy_rows(machine, stream, target, source, {width, height, target_pitch, source_pitch}, kind);
  }));
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void*, std::size_t bytes, std::size_t offset,
                               cudaMemcpyKind) {
  return call_and_wait(
      [&](Machine& machine, CUstream_st&) { return write_symbol(machine, symbol, offset, bytes); });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void*, std::size_t bytes, std::size_t offset,
                                    cudaMemcpyKind, cudaStream_t handle) {
  return call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st&) {
    return write_symbol(machine, symbol, offset, bytes);
  });
}

cudaError_t cudaMemset(void* target, int value, std::size_t bytes) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020);
  return recorded.answer(call_and_wait(
      [&](Machine& machine, CUstream_st& stream) { return fill(machine, stream, target, value, bytes); }));
}

cudaError_t cudaMemsetAsync(void* target, int value, std::size_t bytes, cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    return fill(machine, stream, target, value, bytes);
  }));
}

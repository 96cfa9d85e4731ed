// SPDX-License-Identifier: Apache-2.0
// Where managed memory is wanted. Here it is always on the host, so that nothing moves.
#include "dry_gpu/cudart/managed_memory.hpp"

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"

namespace strata::dry_gpu {

cudaError_t check_managed(Machine& machine, const void* pointer, std::size_t bytes,
                          const cudaMemLocation& location) {
  const auto block = machine.host_memory().find(address_of(pointer));
  if (!block || !block->managed || bytes == 0) return cudaErrorInvalidValue;
  if (bytes > block->bytes - (address_of(pointer) - block->address)) return cudaErrorInvalidValue;
  const bool is_device = location.type == cudaMemLocationTypeDevice;
  return is_device && !machine.has(location.id) ? cudaErrorInvalidDevice : cudaSuccess;
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t bytes, cudaMemLocation location, unsigned,
                                 cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMemPrefetchAsync_v12020);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st&) {
    return check_managed(machine, pointer, bytes, location);
  }));
}

cudaError_t cudaMemAdvise(const void* pointer, std::size_t bytes, cudaMemoryAdvise,
                          cudaMemLocation location) {
  return call(
      [&](Machine& machine, ThreadState&) { return check_managed(machine, pointer, bytes, location); });
}

// SPDX-License-Identifier: Apache-2.0
// Managed memory, through the driver.
#include "dry_gpu/cudart/managed_memory.hpp"

#include "dry_gpu/driver/call.hpp"

using namespace strata::dry_gpu;

namespace {

const void* pointer_to(CUdeviceptr address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

cudaMemLocation location_of(const CUmemLocation& location) {
  return {.type = static_cast<cudaMemLocationType>(location.type), .id = location.id};
}

}  // namespace

CUresult cuMemAllocManaged(CUdeviceptr* pointer, std::size_t bytes, unsigned flags) {
  return drive([&](Machine& machine, ThreadState& thread) {
    if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    machine.used(thread.device);
    void* const memory = machine.host_memory().allocate(bytes, thread.device, flags, true);
    *pointer = address_of(memory);
    return memory == nullptr ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
  });
}

CUresult cuMemPrefetchAsync(CUdeviceptr pointer, std::size_t bytes, CUmemLocation location, unsigned,
                            CUstream handle) {
  return drive_on(handle, [&](Machine& machine, CUstream_st&) {
    return check_managed(machine, pointer_to(pointer), bytes, location_of(location));
  });
}

CUresult cuMemAdvise(CUdeviceptr pointer, std::size_t bytes, CUmem_advise, CUmemLocation location) {
  return drive([&](Machine& machine, ThreadState&) {
    return driver_error(check_managed(machine, pointer_to(pointer), bytes, location_of(location)));
  });
}

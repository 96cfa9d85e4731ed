// SPDX-License-Identifier: Apache-2.0
// Memory of the driver: plain, and mapped into ranges that the program reserves.
#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/driver/call.hpp"

using namespace strata::dry_gpu;

namespace {

CUresult result_of(VirtualMemory::Outcome outcome) {
  switch (outcome) {
    case VirtualMemory::Outcome::kDone:
      return CUDA_SUCCESS;
    case VirtualMemory::Outcome::kInvalid:
    case VirtualMemory::Outcome::kAddressesTaken:
      break;
  }
  return CUDA_ERROR_INVALID_VALUE;
}

// Whether the memory is requested on an existing device.
bool is_plain(const Machine& machine, const CUmemAllocationProp& properties) {
  return properties.type == CU_MEM_ALLOCATION_TYPE_PINNED &&
         properties.location.type == CU_MEM_LOCATION_TYPE_DEVICE && machine.has(properties.location.id);
}

}  // namespace

CUresult cuMemGetInfo_v2(std::size_t* free_bytes, std::size_t* total_bytes) {
  return drive([&](Machine& machine, ThreadState& thread) {
    const MemoryUse use = machine.used(thread.device).memory.use();
    *total_bytes = use.total_bytes;
    *free_bytes = use.total_bytes - use.used_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAlloc_v2(CUdeviceptr* pointer, std::size_t bytes) {
  return drive([&](Machine& machine, ThreadState& thread) {
    if (pointer == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
    const auto address = machine.used(thread.device).memory.allocate(bytes);
    if (!address) return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = *address;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemFree_v2(CUdeviceptr pointer) {
  return drive([&](Machine& machine, ThreadState& thread) {
    if (pointer == 0) return CUDA_SUCCESS;
    const auto place = machine.find(pointer);
    if (!place) return machine.host_memory().free(pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (const cudaError_t error = wait_for_device(machine, thread, place->device)) return driver_error(error);
    if (!machine.device(place->device).memory.free(pointer)) return CUDA_ERROR_INVALID_VALUE;
    machine.contents().forget(place->address, place->bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAddressRange_v2(CUdeviceptr* base, std::size_t* bytes, CUdeviceptr pointer) {
  return drive([&](Machine& machine, ThreadState&) {
    const auto place = machine.find(pointer);
    if (!place) return CUDA_ERROR_INVALID_VALUE;
    if (base != nullptr) *base = place->address;
    if (bytes != nullptr) *bytes = place->bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationGranularity(std::size_t* bytes, const CUmemAllocationProp* properties,
                                       CUmemAllocationGranularity_flags) {
  return drive([&](Machine& machine, ThreadState&) {
    if (!is_plain(machine, *properties)) return CUDA_ERROR_INVALID_VALUE;
    *bytes = kPageBytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemCreate(CUmemGenericAllocationHandle* handle, std::size_t bytes,
                     const CUmemAllocationProp* properties, unsigned long long flags) {
  return drive([&](Machine& machine, ThreadState&) {
    if (flags != 0 || bytes == 0 || bytes % kPageBytes != 0 || !is_plain(machine, *properties))
      return CUDA_ERROR_INVALID_VALUE;
    const int device = properties->location.id;
    if (!machine.used(device).memory.take(bytes)) return CUDA_ERROR_OUT_OF_MEMORY;
    *handle = machine.virtual_memory().create(device, bytes);
    return CUDA_SUCCESS;
  });
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  return drive(
      [&](Machine& machine, ThreadState&) { return result_of(machine.virtual_memory().release(handle)); });
}

CUresult cuMemAddressReserve(CUdeviceptr* pointer, std::size_t bytes, std::size_t, CUdeviceptr wanted,
                             unsigned long long) {
  return drive([&](Machine& machine, ThreadState&) {
    if (bytes == 0 || bytes % kPageBytes != 0) return CUDA_ERROR_INVALID_VALUE;
    const auto address = machine.virtual_memory().reserve(bytes, wanted);
    if (!address) return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = *address;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemAddressFree(CUdeviceptr pointer, std::size_t bytes) {
  return drive([&](Machine& machine, ThreadState&) {
    return result_of(machine.virtual_memory().unreserve(pointer, bytes));
  });
}

CUresult cuMemMap(CUdeviceptr pointer, std::size_t bytes, std::size_t offset,
                  CUmemGenericAllocationHandle handle, unsigned long long flags) {
  return drive([&](Machine& machine, ThreadState&) {
    if (offset != 0 || flags != 0) return CUDA_ERROR_INVALID_VALUE;
    VirtualMemory& memory = machine.virtual_memory();
    const VirtualMemory::Outcome outcome = memory.map(pointer, bytes, handle);
    if (const auto mapped = memory.memory(handle); mapped && mapped->mappings > 1)
      machine.contents().keep_nothing();
    return result_of(outcome);
  });
}

CUresult cuMemUnmap(CUdeviceptr pointer, std::size_t bytes) {
  return drive([&](Machine& machine, ThreadState&) {
    const VirtualMemory::Outcome outcome = machine.virtual_memory().unmap(pointer, bytes);
    if (outcome == VirtualMemory::Outcome::kDone) machine.contents().forget(pointer, bytes);
    return result_of(outcome);
  });
}

// Access rights are not stored: nothing is ever read or written there.
CUresult cuMemSetAccess(CUdeviceptr pointer, std::size_t, const CUmemAccessDesc*, std::size_t) {
  return drive([&](Machine& machine, ThreadState&) {
    return machine.virtual_memory().find(pointer) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle* handle, void* pointer) {
  return drive([&](Machine& machine, ThreadState&) {
    const auto retained = machine.virtual_memory().retain(address_of(pointer));
    if (!retained) return CUDA_ERROR_INVALID_VALUE;
    *handle = *retained;
    return CUDA_SUCCESS;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp* properties,
                                                CUmemGenericAllocationHandle handle) {
  return drive([&](Machine& machine, ThreadState&) {
    const auto memory = machine.virtual_memory().memory(handle);
    if (!memory) return CUDA_ERROR_INVALID_VALUE;
    *properties = {};
    properties->type = CU_MEM_ALLOCATION_TYPE_PINNED;
    properties->location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    properties->location.id = memory->device;
    return CUDA_SUCCESS;
  });
}

CUresult cuPointerGetAttribute(void* value, CUpointer_attribute which, CUdeviceptr pointer) {
  return drive([&](Machine& machine, ThreadState&) {
    const auto place = machine.find(pointer);
    const auto block = place ? std::nullopt : machine.host_memory().find(pointer);
    if (!place && !block) return CUDA_ERROR_INVALID_VALUE;
    const int device = place ? place->device : block->device;
    switch (which) {
      case CU_POINTER_ATTRIBUTE_CONTEXT:
        *static_cast<CUcontext*>(value) = &machine.used(device).context;
        break;
      case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *static_cast<unsigned*>(value) = place ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST;
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        *static_cast<CUdeviceptr*>(value) = pointer;
        break;
      case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        if (place) return CUDA_ERROR_INVALID_VALUE;
        *static_cast<CUdeviceptr*>(value) = pointer;
        break;
      case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        *static_cast<unsigned*>(value) = block && block->managed ? 1 : 0;
        break;
      case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
        *static_cast<int*>(value) = device;
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        *static_cast<CUdeviceptr*>(value) = place ? place->address : block->address;
        break;
      case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        *static_cast<std::size_t*>(value) = place ? place->bytes : block->bytes;
        break;
      default:
        return CUDA_ERROR_NOT_SUPPORTED;
    }
    return CUDA_SUCCESS;
  });
}

// SPDX-License-Identifier: Apache-2.0
// Device memory and host memory for devices.
#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"

using namespace strata::dry_gpu;

namespace {

void* pointer_to(Address address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

cudaError_t allocate_on_host(void** pointer, std::size_t bytes, unsigned flags, bool managed) {
  return call([&](Machine& machine, ThreadState& thread) {
    *pointer = nullptr;
    if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
    if (bytes == 0) return managed ? cudaErrorInvalidValue : cudaSuccess;
    machine.used(thread.device);
    *pointer = machine.host_memory().allocate(bytes, thread.device, flags, managed);
    return *pointer == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020);
  return recorded.answer(call([&](Machine& machine, ThreadState& thread) {
    if (pointer == nullptr) return cudaErrorInvalidValue;
    *pointer = nullptr;
    if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
    Device& device = machine.used(thread.device);
    if (bytes == 0) return cudaSuccess;
    const std::optional<Address> address = device.memory.allocate(bytes);
    if (!address) return cudaErrorMemoryAllocation;
    *pointer = pointer_to(*address);
    return cudaSuccess;
  }));
}

cudaError_t cudaFree(void* pointer) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaFree_v3020);
  return recorded.answer(call([&](Machine& machine, ThreadState& thread) {
    if (pointer == nullptr) {
      machine.used(thread.device);  // cudaFree(0) is how programs make a context
      return cudaSuccess;
    }
    if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
    const auto place = machine.find(address_of(pointer));
    if (!place) return machine.host_memory().free(address_of(pointer)) ? cudaSuccess : cudaErrorInvalidValue;
    if (Clock* const clock = machine.clock()) clock->wait_for_device(place->device);
    Device& owner = machine.device(place->device);
    const bool freed = owner.memory.free(address_of(pointer)) || owner.pool.free(address_of(pointer));
    if (freed) machine.contents().forget(place->address, place->bytes);
    return freed ? cudaSuccess : cudaErrorInvalidValue;
  }));
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  return call([&](Machine& machine, ThreadState& thread) {
    const MemoryUse use = machine.used(thread.device).memory.use();
    *total_bytes = use.total_bytes;
    *free_bytes = use.total_bytes - use.used_bytes;
    return cudaSuccess;
  });
}

cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate_on_host(pointer, bytes, flags, false);
}

cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) {
  return allocate_on_host(pointer, bytes, 0, false);
}

cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned flags) {
  return allocate_on_host(pointer, bytes, flags, true);
}

cudaError_t cudaFreeHost(void* pointer) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (pointer == nullptr) return cudaSuccess;
    if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
    return machine.host_memory().free(address_of(pointer)) ? cudaSuccess : cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned flags) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
    switch (machine.host_memory().add(address_of(pointer), bytes, thread.device, flags)) {
      case HostMemory::Registration::kDone:
        return cudaSuccess;
      case HostMemory::Registration::kTaken:
        return cudaErrorHostMemoryAlreadyRegistered;
      case HostMemory::Registration::kInvalid:
        break;
    }
    return cudaErrorInvalidValue;
  });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (const cudaError_t error = may_wait_for_all(machine, thread)) return error;
    return machine.host_memory().remove(address_of(pointer)) ? cudaSuccess : cudaErrorHostMemoryNotRegistered;
  });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  return call([&](Machine& machine, ThreadState&) {
    if (!machine.host_memory().find(address_of(host_pointer))) return cudaErrorInvalidValue;
    *device_pointer = host_pointer;
    return cudaSuccess;
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return call([&](Machine& machine, ThreadState&) {
    const auto block = machine.host_memory().find(address_of(pointer));
    if (!block) return cudaErrorInvalidValue;
    *flags = block->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&](Machine& machine, ThreadState&) {
    *attributes = {};
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = cudaInvalidDeviceId;
    auto* const address = const_cast<void*>(pointer);
    if (const auto place = machine.find(address_of(pointer))) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->device = place->device;
      attributes->devicePointer = address;
    } else if (const auto block = machine.host_memory().find(address_of(pointer))) {
      attributes->type = block->managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost;
      attributes->device = block->device;
      attributes->devicePointer = attributes->hostPointer = address;
    } else {
      attributes->hostPointer = address;
    }
    return cudaSuccess;
  });
}

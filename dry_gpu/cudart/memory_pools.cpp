// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation from each device's default pool. Pools of a program's own are refused.
#include "dry_gpu/cudart/call.hpp"

using namespace strata::dry_gpu;

namespace {

cudaMemPool_t handle_of(MemoryPool& pool) {
  return reinterpret_cast<cudaMemPool_t>(&pool);
}

// Null: it is the default pool of no device.
MemoryPool* pool_of(Machine& machine, cudaMemPool_t handle) {
  for (int device = 0; device < machine.devices(); ++device) {
    if (handle_of(machine.device(device).pool) == handle) return &machine.device(device).pool;
  }
  return nullptr;
}

template <typename Body>
cudaError_t call_with_pool(cudaMemPool_t handle, Body&& body) noexcept {
  return call([&](Machine& machine, ThreadState&) {
    MemoryPool* const pool = pool_of(machine, handle);
    return pool == nullptr ? cudaErrorInvalidValue : body(*pool);
  });
}

cudaError_t default_pool(cudaMemPool_t* pool, int device) {
  return call([&](Machine& machine, ThreadState&) {
    if (!machine.has(device)) return cudaErrorInvalidDevice;
    *pool = handle_of(machine.device(device).pool);
    return cudaSuccess;
  });
}

cudaError_t allocate(void** pointer, std::size_t bytes, cudaStream_t stream, MemoryPool* chosen) {
  return call_on(stream, [&](Machine& machine, ThreadState&, CUstream_st& on) {
    *pointer = nullptr;
    MemoryPool& pool = chosen == nullptr ? machine.used(on.device).pool : *chosen;
    if (bytes == 0) return cudaSuccess;
    const std::optional<Address> address = pool.allocate(bytes);
    if (!address) return cudaErrorMemoryAllocation;
    *pointer = reinterpret_cast<void*>(*address);  // NOLINT(performance-no-int-to-ptr)
    return cudaSuccess;
  });
}

}  // namespace

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return default_pool(pool, device);
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return default_pool(pool, device);
}

cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate(pointer, bytes, stream, nullptr);
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t handle,
                                    cudaStream_t stream) {
  return call_with_pool(handle, [&](MemoryPool& pool) { return allocate(pointer, bytes, stream, &pool); });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call_on(stream, [&](Machine& machine, ThreadState&, CUstream_st&) {
    if (pointer == nullptr) return cudaSuccess;
    const auto place = machine.find(address_of(pointer));
    if (!place) return cudaErrorInvalidValue;
    if (!machine.device(place->device).pool.free(address_of(pointer))) return cudaErrorInvalidValue;
    machine.contents().forget(place->address, place->bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t handle, std::size_t kept_bytes) {
  return call_with_pool(handle, [&](MemoryPool& pool) {
    pool.trim(kept_bytes);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return call_with_pool(handle, [&](MemoryPool& pool) {
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        return cudaSuccess;  // determines when memory may be reused: here at once
      case cudaMemPoolAttrReleaseThreshold:
        pool.set_release_threshold(*static_cast<const std::uint64_t*>(value));
        return cudaSuccess;
      case cudaMemPoolAttrReservedMemHigh:
        if (*static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        pool.reset_reserved_high();
        return cudaSuccess;
      case cudaMemPoolAttrUsedMemHigh:
        if (*static_cast<const std::uint64_t*>(value) != 0) return cudaErrorInvalidValue;
        pool.reset_used_high();
        return cudaSuccess;
      default:
        return cudaErrorInvalidValue;
    }
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, void* value) {
  return call_with_pool(handle, [&](MemoryPool& pool) {
    const PoolUse use = pool.use();
    const auto bytes = [&](std::uint64_t number) {
      *static_cast<std::uint64_t*>(value) = number;
      return cudaSuccess;
    };
    switch (attribute) {
      case cudaMemPoolReuseFollowEventDependencies:
      case cudaMemPoolReuseAllowOpportunistic:
      case cudaMemPoolReuseAllowInternalDependencies:
        *static_cast<int*>(value) = 1;
        return cudaSuccess;
      case cudaMemPoolAttrReleaseThreshold:
        return bytes(pool.release_threshold());
      case cudaMemPoolAttrReservedMemCurrent:
        return bytes(use.reserved_bytes);
      case cudaMemPoolAttrReservedMemHigh:
        return bytes(use.reserved_high);
      case cudaMemPoolAttrUsedMemCurrent:
        return bytes(use.used_bytes);
      case cudaMemPoolAttrUsedMemHigh:
        return bytes(use.used_high);
      default:
        return cudaErrorInvalidValue;
    }
  });
}

// Any device may access another's memory here once it is a peer; pools make no difference.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t handle, const cudaMemAccessDesc*, std::size_t) {
  return call_with_pool(handle, [](MemoryPool&) { return cudaSuccess; });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t handle, cudaMemLocation*) {
  return call_with_pool(handle, [&](MemoryPool&) {
    *flags = cudaMemAccessFlagsProtReadWrite;
    return cudaSuccess;
  });
}

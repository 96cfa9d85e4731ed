// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/profile/attributes.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "dry_gpu/device/profile/launch_limits.hpp"

namespace strata::dry_gpu {
namespace {

// Like those in launch_limits.hpp, the same on all devices.
constexpr int kSharedBytesPerBlock = 48 * 1024;
constexpr int kRegisters = 64 * 1024;
constexpr int kConstantBytes = 64 * 1024;
constexpr int kPitch = 2147483647;
constexpr int kAlignment = 512;

bool is_at_least(const DeviceProfile& profile, std::uint32_t major) {
  return profile.compute_major >= major;
}

}  // namespace

int pci_bus(int device) {
  return device + 1;
}

CUuuid uuid(int device) {
  CUuuid id{};
  constexpr std::string_view kText = "strata-dry-gpu";
  std::memcpy(id.bytes, kText.data(), kText.size());
  id.bytes[15] = static_cast<char>(device);
  return id;
}

std::optional<int> attribute(const DeviceProfile& profile, int device, CUdevice_attribute attribute) {
  const auto number = [](auto value) { return static_cast<int>(value); };
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      return number(profile.compute_major);
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      return number(profile.compute_minor);
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      return number(profile.multiprocessors);
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
      return number(profile.threads_per_multiprocessor);
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
      return number(profile.blocks_per_multiprocessor);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
      return number(profile.shared_bytes_per_multiprocessor);
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      return number(profile.shared_bytes_per_block_optin);
    case CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK:
      return number(reserved_shared_bytes(profile));
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      return number(profile.l2_bytes);
    case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
      return number(profile.memory_bus_bits);
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
      return number(profile.memory_clock_khz);
    case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
      return number(profile.clock_khz);
    case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
      return pci_bus(device);
    case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID:
      return device;

    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      return kMostThreadsOfBlock;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      return kMostBlockZ;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      return kMostGridX;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      return kMostGridYZ;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      return kSharedBytesPerBlock;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
      return kRegisters;
    case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
      return kConstantBytes;
    case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
      return kWarp;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      return kPitch;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT:
    case CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT:
      return kAlignment;
    case CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT:
      return kWarp;
    case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
      return 3;

    // Capabilities queried by programs such as LibTorch that this device has.
    case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
    case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
    case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY:
    case CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
    case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
    case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_UNIFIED_FUNCTION_POINTERS:
    case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
      return 1;
    case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
      return is_at_least(profile, 9) ? 1 : 0;

    // Capabilities that it does not have: handles of other systems, memory of other devices, multi-GPU
    // boards, watchdogs.
    case CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT:
    case CU_DEVICE_ATTRIBUTE_INTEGRATED:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
    case CU_DEVICE_ATTRIBUTE_ECC_ENABLED:
    case CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID:
    case CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID:
    case CU_DEVICE_ATTRIBUTE_TCC_DRIVER:
    case CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD:
    case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS:
    case CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS_USES_HOST_PAGE_TABLES:
    case CU_DEVICE_ATTRIBUTE_DIRECT_MANAGED_MEM_ACCESS_FROM_HOST:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_WIN32_KMT_HANDLE_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GENERIC_COMPRESSION_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE:
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MULTICAST_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
    case CU_DEVICE_ATTRIBUTE_MPS_ENABLED:
      return 0;
    default:
      return std::nullopt;
  }
}

cudaDeviceProp properties(const DeviceProfile& profile, int device) {
  cudaDeviceProp result{};
  const auto ask = [&](CUdevice_attribute which) { return attribute(profile, device, which).value_or(0); };
  profile.name.copy(result.name, sizeof result.name - 1);
  result.uuid = uuid(device);
  result.totalGlobalMem = profile.memory_bytes;
  result.sharedMemPerBlock = kSharedBytesPerBlock;
  result.sharedMemPerBlockOptin = profile.shared_bytes_per_block_optin;
  result.sharedMemPerMultiprocessor = profile.shared_bytes_per_multiprocessor;
  result.reservedSharedMemPerBlock =
      static_cast<std::size_t>(ask(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
  result.regsPerBlock = result.regsPerMultiprocessor = kRegisters;
  result.warpSize = kWarp;
  result.memPitch = kPitch;
  result.maxThreadsPerBlock = kMostThreadsOfBlock;
  std::ranges::copy(std::initializer_list<int>{kMostThreadsOfBlock, kMostThreadsOfBlock, kMostBlockZ},
                    result.maxThreadsDim);
  std::ranges::copy(std::initializer_list<int>{kMostGridX, kMostGridYZ, kMostGridYZ}, result.maxGridSize);
  result.totalConstMem = kConstantBytes;
  result.major = static_cast<int>(profile.compute_major);
  result.minor = static_cast<int>(profile.compute_minor);
  result.textureAlignment = result.surfaceAlignment = kAlignment;
  result.texturePitchAlignment = kWarp;
  result.multiProcessorCount = static_cast<int>(profile.multiprocessors);
  result.maxThreadsPerMultiProcessor = static_cast<int>(profile.threads_per_multiprocessor);
  result.maxBlocksPerMultiProcessor = static_cast<int>(profile.blocks_per_multiprocessor);
  result.memoryBusWidth = static_cast<int>(profile.memory_bus_bits);
  result.l2CacheSize = static_cast<int>(profile.l2_bytes);
  result.pciBusID = pci_bus(device);
  result.multiGpuBoardGroupID = device;
  result.asyncEngineCount = ask(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
  result.clusterLaunch = ask(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
  result.memoryPoolSupportedHandleTypes = cudaMemHandleTypePosixFileDescriptor;
  for (int* supported :
       {&result.canMapHostMemory, &result.concurrentKernels, &result.unifiedAddressing,
        &result.streamPrioritiesSupported, &result.globalL1CacheSupported, &result.localL1CacheSupported,
        &result.managedMemory, &result.concurrentManagedAccess, &result.computePreemptionSupported,
        &result.canUseHostPointerForRegisteredMem, &result.cooperativeLaunch, &result.hostRegisterSupported,
        &result.memoryPoolsSupported, &result.unifiedFunctionPointers}) {
    *supported = 1;
  }
  return result;
}

}  // namespace strata::dry_gpu

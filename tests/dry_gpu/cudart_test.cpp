// SPDX-License-Identifier: Apache-2.0
// The runtime as programs call it.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "tests/dry_gpu/dry_devices.hpp"

// NOLINTBEGIN(readability-identifier-naming): CUDA's names
extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}
// NOLINTEND(readability-identifier-naming)

namespace strata::dry_gpu {
namespace {

using Cudart = DryDevices;

TEST_F(Cudart, TellsItsDevices) {
  int count = 0;
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 8);
  cudaDeviceProp properties{};
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 1), cudaSuccess);
  EXPECT_STREQ(properties.name, "NVIDIA Test GPU");
  EXPECT_EQ(properties.totalGlobalMem, kTotal);
  EXPECT_EQ(properties.multiProcessorCount, 10);
  EXPECT_EQ(properties.major, 9);
  int value = 0;
  ASSERT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0), cudaSuccess);
  EXPECT_EQ(value, 232448);
  EXPECT_EQ(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 8), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaSetDevice(8), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  std::array<char, 32> bus{};
  ASSERT_EQ(cudaDeviceGetPCIBusId(bus.data(), bus.size(), 1), cudaSuccess);
  EXPECT_STREQ(bus.data(), "0000:02:00.0");
}

TEST_F(Cudart, CountsMemoryByDeviceAndItsContext) {
  std::byte* const first = allocate(20 * kMiB);
  EXPECT_EQ(used_bytes(), 20 * kMiB);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(used_bytes(), 0u);
  EXPECT_EQ(cudaFree(first), cudaSuccess) << "from another device";
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(used_bytes(), 0u);
  EXPECT_EQ(cudaFree(first), cudaErrorInvalidValue);
}

TEST_F(Cudart, HasAProfilerToSwitch) {
  EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
  EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

TEST_F(Cudart, IsOutOfMemoryWhenItIs) {
  void* pointer = &pointer;
  EXPECT_EQ(cudaMalloc(&pointer, kTotal - kContext + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(pointer, nullptr);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  ASSERT_EQ(cudaMalloc(&pointer, kTotal - kContext), cudaSuccess);
  EXPECT_EQ(cudaFree(pointer), cudaSuccess);
  EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
}

TEST_F(Cudart, AllocatesInStreamOrderFromAPoolThatKeepsItsPages) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  const auto attribute = [&](cudaMemPoolAttr which) {
    std::uint64_t value = 0;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, which, &value), cudaSuccess);
    return value;
  };
  std::uint64_t everything = UINT64_MAX;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &everything), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemPoolAttrReleaseThreshold), UINT64_MAX);

  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(cudaMallocAsync(&first, 3 * kMiB + 1, nullptr), cudaSuccess);
  ASSERT_EQ(cudaMallocAsync(&second, 100, nullptr), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemPoolAttrUsedMemCurrent), 3 * kMiB + 512 + 512);
  EXPECT_EQ(attribute(cudaMemPoolAttrReservedMemCurrent), 4 * kMiB);
  EXPECT_EQ(used_bytes(), 4 * kMiB) << "of the device";
  cudaPointerAttributes place{};
  ASSERT_EQ(cudaPointerGetAttributes(&place, static_cast<char*>(first) + kMiB), cudaSuccess);
  EXPECT_EQ(place.type, cudaMemoryTypeDevice);

  EXPECT_EQ(cudaFreeAsync(first, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(first, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(second), cudaSuccess) << "what is freed by the device's own function";
  EXPECT_EQ(attribute(cudaMemPoolAttrUsedMemCurrent), 0u);
  EXPECT_EQ(attribute(cudaMemPoolAttrUsedMemHigh), 3 * kMiB + 1024);
  EXPECT_EQ(attribute(cudaMemPoolAttrReservedMemCurrent), 4 * kMiB) << "below its threshold";
  EXPECT_EQ(cudaMemPoolTrimTo(pool, kMiB), cudaSuccess);
  EXPECT_EQ(used_bytes(), 2 * kMiB) << "whole pages";
  std::uint64_t nothing = 0;
  EXPECT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &nothing), cudaSuccess);
  EXPECT_EQ(attribute(cudaMemPoolAttrUsedMemHigh), 0u);
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &nothing), cudaSuccess);

  EXPECT_EQ(cudaMallocAsync(&first, kTotal, nullptr), cudaErrorMemoryAllocation);
  EXPECT_EQ(first, nullptr);
  ASSERT_EQ(cudaMallocAsync(&first, kTotal - kContext, nullptr), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(first, nullptr), cudaSuccess);
  EXPECT_EQ(used_bytes(), 0u);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaFreeAsync(nullptr, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPoolTrimTo(nullptr, 0), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

TEST_F(Cudart, KnowsWhosePointerItIs) {
  std::byte* const device = allocate(4 * kMiB);
  void* pinned = nullptr;
  ASSERT_EQ(cudaHostAlloc(&pinned, 100, cudaHostAllocDefault), cudaSuccess);
  int own = 0;
  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, device + kMiB), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  EXPECT_EQ(attributes.device, 0);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, static_cast<char*>(pinned) + 99), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeHost);
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, &own), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeUnregistered);
  EXPECT_EQ(cudaFreeHost(pinned), cudaSuccess);
  EXPECT_EQ(cudaFreeHost(pinned), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(device), cudaSuccess);
}

TEST_F(Cudart, PrefetchesManagedMemoryAndNoOther) {
  void* managed = nullptr;
  ASSERT_EQ(cudaMallocManaged(&managed, 1000, cudaMemAttachGlobal), cudaSuccess);
  const cudaMemLocation device{.type = cudaMemLocationTypeDevice, .id = 0};
  const cudaMemLocation host{.type = cudaMemLocationTypeHost, .id = 0};
  const cudaMemLocation nowhere{.type = cudaMemLocationTypeDevice, .id = 99};
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 1000, device, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(static_cast<char*>(managed) + 500, 500, host, 0, nullptr), cudaSuccess);
  EXPECT_EQ(cudaMemAdvise(managed, 1000, cudaMemAdviseSetPreferredLocation, device), cudaSuccess);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 1001, device, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemPrefetchAsync(managed, 1000, nowhere, 0, nullptr), cudaErrorInvalidDevice);
  std::byte* const memory = allocate(kMiB);
  EXPECT_EQ(cudaMemPrefetchAsync(memory, 1000, device, 0, nullptr), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemAdvise(&managed, 8, cudaMemAdviseSetReadMostly, device), cudaErrorInvalidValue);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaFree(managed), cudaSuccess);
  cudaGetLastError();
}

TEST_F(Cudart, RegistersHostMemoryOnce) {
  std::vector<char> own(10000);
  ASSERT_EQ(cudaHostRegister(own.data(), own.size(), 0), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(own.data() + 9999, 10, 0), cudaErrorHostMemoryAlreadyRegistered);
  EXPECT_EQ(cudaHostUnregister(own.data() + 1), cudaErrorHostMemoryNotRegistered);
  EXPECT_EQ(cudaHostUnregister(own.data()), cudaSuccess);
  EXPECT_EQ(cudaHostRegister(nullptr, 10, 0), cudaErrorInvalidValue);
}

// A kernel's results are unknown: they read as zeros and are counted.
TEST_F(Cudart, EnablesPeersOnce) {
  int can = 0;
  ASSERT_EQ(cudaDeviceCanAccessPeer(&can, 0, 1), cudaSuccess);
  EXPECT_EQ(can, 1);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaSuccess);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaSuccess);
  EXPECT_EQ(cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0), cudaErrorInvalidDevice);
}

TEST_F(Cudart, LaunchesWhatADeviceCouldRun) {
  const char kernel = 0;
  const auto launch = [&](dim3 grid, dim3 block, std::size_t shared_bytes) {
    return cudaLaunchKernel(&kernel, grid, block, nullptr, shared_bytes, nullptr);
  };
  const std::uint64_t before = strata_dry_gpu_count().launches;
  EXPECT_EQ(launch({1, 65535, 1}, {1024, 1, 1}, 232448), cudaSuccess);
  EXPECT_EQ(launch({0, 1, 1}, {1, 1, 1}, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 65536, 1}, {1, 1, 1}, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 1, 1}, {1024, 2, 1}, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 65}, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(launch({1, 1, 1}, {1, 1, 1}, 232449), cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(nullptr, {1, 1, 1}, {1, 1, 1}, nullptr, 0, nullptr),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(strata_dry_gpu_count().launches - before, 1u);
}

TEST_F(Cudart, KeepsDeviceAndErrorByThread) {
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(cudaSetDevice(9), cudaErrorInvalidDevice);
  std::thread([] {
    int device = -1;
    EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
  }).join();
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
}

// A child process cannot use CUDA if its parent has used it.
TEST_F(Cudart, RefusesAForkedChild) {
  const pid_t child = fork();
  if (child == 0) {
    void* pointer = nullptr;
    int count = -1;
    const bool refused = cudaMalloc(&pointer, 1) == cudaErrorInitializationError &&
                         cudaGetDeviceCount(&count) == cudaErrorInitializationError && count == 0 &&
                         cuInit(0) == CUDA_ERROR_NOT_INITIALIZED;
    _exit(refused ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << "the parent goes on";
}

TEST_F(Cudart, ChoosesItsDevicesOnceAndEarly) {
  std::array<char, 200> problem{};
  EXPECT_EQ(strata_dry_gpu_choose("key x", problem.data(), problem.size()), -1);
  EXPECT_STREQ(problem.data(), "the device profile: 'name' is missing");
}

}  // namespace
}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// The driver as c10, NVRTC and Triton call it, with functions looked up by name.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "tests/dry_gpu/dry_devices.hpp"

namespace strata::dry_gpu {
namespace {

using Driver = DryDevices;
constexpr std::size_t kPage = 2 * kMiB;

CUmemAllocationProp on_device(int device) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return properties;
}

TEST_F(Driver, DescribesTensorsForItsCopyingUnits) {
  CUtensorMap map{};
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, kPage), cudaSuccess);
  const auto encode = [&](cuuint32_t rank, void* address) {
    return cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, rank, address, nullptr, nullptr,
                                  nullptr, nullptr, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                  CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  };
  EXPECT_EQ(encode(2, memory), CUDA_SUCCESS);
  EXPECT_EQ(map.opaque[0], reinterpret_cast<std::uintptr_t>(memory));
  EXPECT_EQ(encode(6, memory), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(encode(2, static_cast<char*>(memory) + 8), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuTensorMapReplaceAddress(&map, static_cast<char*>(memory) + 64), CUDA_SUCCESS);
  EXPECT_EQ(map.opaque[0], reinterpret_cast<std::uintptr_t>(memory) + 64);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

// The calls of an expandable segment over its lifetime.
TEST_F(Driver, MapsMemoryIntoReservedRanges) {
  std::size_t granularity = 0;
  const CUmemAllocationProp properties = on_device(0);
  ASSERT_EQ(cuMemGetAllocationGranularity(&granularity, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
            CUDA_SUCCESS);
  EXPECT_EQ(granularity, kPage);
  CUdeviceptr range = 0;
  ASSERT_EQ(cuMemAddressReserve(&range, 100 * kPage, 0, 0, 0), CUDA_SUCCESS);
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_EQ(cuMemCreate(&handle, 10 * kPage, &properties, 0), CUDA_SUCCESS);
  EXPECT_EQ(used_bytes(), 10 * kPage);
  ASSERT_EQ(cuMemMap(range, 10 * kPage, 0, handle, 0), CUDA_SUCCESS);
  CUmemAccessDesc access{};
  EXPECT_EQ(cuMemSetAccess(range, 10 * kPage, &access, 1), CUDA_SUCCESS);

  cudaPointerAttributes attributes{};
  ASSERT_EQ(cudaPointerGetAttributes(&attributes, reinterpret_cast<void*>(range + 7)), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  int device = -1;
  EXPECT_EQ(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, range), CUDA_SUCCESS);
  EXPECT_EQ(device, 0);
  EXPECT_EQ(cudaMemset(reinterpret_cast<void*>(range), 0, 10 * kPage), cudaSuccess);
  EXPECT_EQ(cudaFree(reinterpret_cast<void*>(range)), cudaErrorInvalidValue) << "not cudaMalloc's";

  EXPECT_EQ(cuMemAddressFree(range, 100 * kPage), CUDA_ERROR_INVALID_VALUE) << "mapped still";
  int value = 7;
  ASSERT_EQ(cudaMemcpy(reinterpret_cast<void*>(range), &value, sizeof value, cudaMemcpyHostToDevice),
            cudaSuccess);
  EXPECT_EQ(cuMemUnmap(range, 10 * kPage), CUDA_SUCCESS);
  ASSERT_EQ(cuMemMap(range, 10 * kPage, 0, handle, 0), CUDA_SUCCESS);
  ASSERT_EQ(cudaMemcpy(&value, reinterpret_cast<void*>(range), sizeof value, cudaMemcpyDeviceToHost),
            cudaSuccess);
  EXPECT_EQ(value, 0) << "what was known of a mapping goes with it";
  EXPECT_EQ(cuMemUnmap(range, 10 * kPage), CUDA_SUCCESS);

  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(used_bytes(), 0u);
  EXPECT_EQ(cuMemAddressFree(range, 100 * kPage), CUDA_SUCCESS);
}

TEST_F(Driver, CountsMappedMemoryOnItsOwnDevice) {
  const CUmemAllocationProp properties = on_device(1);
  CUmemGenericAllocationHandle handle = 0;
  ASSERT_EQ(cuMemCreate(&handle, kPage, &properties, 0), CUDA_SUCCESS);
  EXPECT_EQ(used_bytes(), 0u);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  EXPECT_EQ(used_bytes(), kPage);
  CUmemGenericAllocationHandle too_much = 0;
  EXPECT_EQ(cuMemCreate(&too_much, kTotal, &properties, 0), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cuMemRelease(handle), CUDA_SUCCESS);
  EXPECT_EQ(used_bytes(), 0u);
}

TEST_F(Driver, SharesMemoryByDescriptor) {
  const CUmemAllocationProp properties = on_device(0);
  CUmemGenericAllocationHandle own = 0;
  ASSERT_EQ(cuMemCreate(&own, 4 * kPage, &properties, 0), CUDA_SUCCESS);
  int descriptor = -1;
  const auto posix = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  ASSERT_EQ(cuMemExportToShareableHandle(&descriptor, own, posix, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemExportToShareableHandle(&descriptor, own + 100, posix, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemExportToShareableHandle(&descriptor, own, CU_MEM_HANDLE_TYPE_FABRIC, 0),
            CUDA_ERROR_NOT_SUPPORTED);

  // A peer's pages can be mapped beside this process's own, and take none of its memory.
  CUmemGenericAllocationHandle peers = 0;
  const auto passed = [](int number) { return reinterpret_cast<void*>(std::intptr_t{number}); };
  ASSERT_EQ(cuMemImportFromShareableHandle(&peers, passed(descriptor), posix), CUDA_SUCCESS);
  EXPECT_NE(peers, own);
  EXPECT_EQ(used_bytes(), 4 * kPage);
  CUdeviceptr range = 0;
  ASSERT_EQ(cuMemAddressReserve(&range, 8 * kPage, 0, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(range, 4 * kPage, 0, own, 0), CUDA_SUCCESS);
  EXPECT_EQ(cuMemMap(range + 4 * kPage, 4 * kPage, 0, peers, 0), CUDA_SUCCESS);
  EXPECT_EQ(cudaMemset(reinterpret_cast<void*>(range + 4 * kPage), 0, kPage), cudaSuccess);
  EXPECT_EQ(cuMemUnmap(range, 8 * kPage), CUDA_SUCCESS);
  EXPECT_EQ(cuMemRelease(peers), CUDA_SUCCESS);
  EXPECT_EQ(used_bytes(), 4 * kPage);
  EXPECT_EQ(cuMemRelease(own), CUDA_SUCCESS);
  EXPECT_EQ(used_bytes(), 0u);
  EXPECT_EQ(cuMemAddressFree(range, 8 * kPage), CUDA_SUCCESS);
  close(descriptor);

  const int other = memfd_create("no memory of a device", 0);
  ASSERT_EQ(write(other, "anything", 8), 8);
  EXPECT_EQ(cuMemImportFromShareableHandle(&peers, passed(other), posix), CUDA_ERROR_INVALID_VALUE);
  close(other);
  EXPECT_EQ(cuMemImportFromShareableHandle(&peers, passed(other), posix), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, FollowsTheRuntimesDevice) {
  CUcontext first = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&first), CUDA_SUCCESS);
  ASSERT_NE(first, nullptr);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  CUcontext second = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&second), CUDA_SUCCESS);
  EXPECT_NE(first, second);
  ASSERT_EQ(cuCtxPushCurrent(first), CUDA_SUCCESS);
  int device = -1;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 0);
  CUcontext popped = nullptr;
  ASSERT_EQ(cuCtxPopCurrent(&popped), CUDA_SUCCESS);
  EXPECT_EQ(popped, first);
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(device, 1);
  EXPECT_EQ(cuCtxPopCurrent(nullptr), CUDA_ERROR_INVALID_CONTEXT);
}

TEST_F(Driver, PrefetchesManagedMemory) {
  CUdeviceptr managed = 0;
  ASSERT_EQ(cuMemAllocManaged(&managed, 1000, CU_MEM_ATTACH_GLOBAL), CUDA_SUCCESS);
  const CUmemLocation device{.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = 0};
  EXPECT_EQ(cuMemPrefetchAsync(managed, 1000, device, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuMemAdvise(managed, 1000, CU_MEM_ADVISE_SET_READ_MOSTLY, device), CUDA_SUCCESS);
  EXPECT_EQ(cuMemPrefetchAsync(managed, 2000, device, 0, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuMemFree(managed), CUDA_SUCCESS);
  EXPECT_EQ(cuMemFree(managed), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, LoadsModulesFromFiles) {
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoad(&module, "/proc/self/exe"), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(cuModuleGetFunction(&function, module, "kernel"), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
  EXPECT_EQ(cuModuleLoad(&module, "/nowhere/kernel.cubin"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(cuModuleLoad(&module, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Driver, LaunchesKernelsOfModules) {
  CUmodule module = nullptr;
  ASSERT_EQ(cuModuleLoadData(&module, "code"), CUDA_SUCCESS);
  CUfunction function = nullptr;
  CUfunction same = nullptr;
  ASSERT_EQ(cuModuleGetFunction(&function, module, "kernel"), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&same, module, "kernel"), CUDA_SUCCESS);
  EXPECT_EQ(function, same);
  const std::uint64_t before = strata_dry_gpu_count().launches;
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 0, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(strata_dry_gpu_count().launches - before, 1u);
  EXPECT_EQ(cuModuleUnload(module), CUDA_SUCCESS);
}

// A name means a different function for a program built for another version.
TEST_F(Driver, GivesFunctionsByNameAndVersion) {
  const auto ask = [](const char* name, int version) {
    void* function = nullptr;
    CUdriverProcAddressQueryResult found{};
    const CUresult result = cuGetProcAddress(name, &function, version, 0, &found);
    EXPECT_EQ(result == CUDA_SUCCESS, found == CU_GET_PROC_ADDRESS_SUCCESS);
    EXPECT_EQ(function != nullptr, found == CU_GET_PROC_ADDRESS_SUCCESS);
    return std::pair{function, found};
  };
  EXPECT_EQ(ask("cuMemCreate", 12000).first, reinterpret_cast<void*>(&cuMemCreate));
  EXPECT_EQ(ask("cuMemGetInfo", 12000).first, reinterpret_cast<void*>(&cuMemGetInfo_v2));
  EXPECT_NE(ask("cuMemGetInfo", 2000).first, ask("cuMemGetInfo", 3020).first);
  EXPECT_NE(ask("cuStreamGetCaptureInfo", 11030).first, ask("cuStreamGetCaptureInfo", 12030).first);
  EXPECT_EQ(ask("cuMemCreate", 10000).second, CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  EXPECT_EQ(ask("cuMemCreateOfOurs", 13000).second, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);

  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  ASSERT_EQ(cudaGetDriverEntryPointByVersion("cuMemMap", &function, 12080, 0, &found), cudaSuccess);
  EXPECT_EQ(found, cudaDriverEntryPointSuccess);
  EXPECT_EQ(function, reinterpret_cast<void*>(&cuMemMap));
}

TEST_F(Driver, NamesItsErrors) {
  const char* text = nullptr;
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
  EXPECT_EQ(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "out of memory");
  EXPECT_EQ(cuGetErrorName(CUDA_ERROR_STUB_LIBRARY, &text), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace strata::dry_gpu

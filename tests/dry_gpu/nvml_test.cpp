// SPDX-License-Identifier: Apache-2.0
// NVML as PyTorch calls it: by name, and with the declarations of nvml.h, which no wheel has.
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "tests/dry_gpu/dry_devices.hpp"

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's
extern "C" {
int nvmlInit_v2();
int nvmlSystemGetCudaDriverVersion_v2(int* version);
int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** handle);
int nvmlDeviceGetNvLinkRemoteDeviceType(void* handle, unsigned link, int* type);
}

namespace strata::dry_gpu {
namespace {

struct ProcessInfo {
  unsigned pid;
  unsigned long long used_bytes;
};
extern "C" int nvmlDeviceGetComputeRunningProcesses(void* handle, unsigned* count, ProcessInfo* processes);
// NOLINTEND(readability-identifier-naming)

constexpr int kSuccess = 0, kInvalidArgument = 2, kNotFound = 6, kInsufficientSize = 7;

using Nvml = DryDevices;

void* handle_of(int device) {
  std::array<char, 32> bus_id{};
  EXPECT_EQ(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device), cudaSuccess);
  void* handle = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2(bus_id.data(), &handle), kSuccess);
  return handle;
}

TEST_F(Nvml, FindsDevicesByTheirPlaceOnTheBus) {
  ASSERT_EQ(nvmlInit_v2(), kSuccess);
  int version = 0;
  EXPECT_EQ(nvmlSystemGetCudaDriverVersion_v2(&version), kSuccess);
  EXPECT_EQ(version, CUDA_VERSION);
  EXPECT_NE(handle_of(0), handle_of(1));
  void* handle = nullptr;
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("0000:ff:00.0", &handle), kNotFound);
  EXPECT_EQ(nvmlDeviceGetHandleByPciBusId_v2("nowhere", &handle), kInvalidArgument);
  EXPECT_NE(nvmlDeviceGetNvLinkRemoteDeviceType(handle_of(0), 0, &version), kSuccess);
}

TEST_F(Nvml, CountsTheMemoryOfThisProcess) {
  void* const handle = handle_of(0);
  std::byte* const memory = allocate(16 * kMiB);
  std::array<ProcessInfo, 4> processes{};
  unsigned count = 0;
  EXPECT_EQ(nvmlDeviceGetComputeRunningProcesses(handle, &count, nullptr), kInsufficientSize);
  count = static_cast<unsigned>(processes.size());
  ASSERT_EQ(nvmlDeviceGetComputeRunningProcesses(handle, &count, processes.data()), kSuccess);
  ASSERT_EQ(count, 1u);
  EXPECT_EQ(processes[0].pid, static_cast<unsigned>(getpid()));
  EXPECT_EQ(processes[0].used_bytes, used_bytes() + kContext);
  EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

}  // namespace
}  // namespace strata::dry_gpu

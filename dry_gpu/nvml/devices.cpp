// SPDX-License-Identifier: Apache-2.0
// The functions of NVML (libnvidia-ml.so.1) that PyTorch calls: for the memory of processes after a failed
// allocation, and before it shares memory between devices. CUDA's wheels have no nvml.h, so its declarations
// are repeated here.
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "dry_gpu/cuda_api.hpp"
#include "dry_gpu/device/machine.hpp"
#include "dry_gpu/device/profile/attributes.hpp"

using namespace strata::dry_gpu;

namespace {

// nvmlReturn_t
enum Result : int {
  kSuccess = 0,
  kUninitialized = 1,
  kInvalidArgument = 2,
  kNotSupported = 3,
  kNotFound = 6,
  kInsufficientSize = 7,
};

struct ProcessInfo {  // nvmlProcessInfo_v1_t
  unsigned pid;
  unsigned long long used_bytes;
};

struct FabricInfo {  // nvmlGpuFabricInfoV_t, version 2
  unsigned version;
  unsigned char cluster[16];
  int status;
  unsigned clique;
  unsigned char state;  // 0: not supported
  unsigned health;
};

Machine* devices() {
  return is_machine_made() ? machine().machine : nullptr;
}

// Handles are the devices' numbers, from 1 on.
bool is_device(std::uintptr_t handle) {
  return devices() != nullptr && handle > 0 && devices()->has(static_cast<int>(handle) - 1);
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVML's
extern "C" {

#pragma GCC visibility push(default)

int nvmlInit_v2() {
  return devices() == nullptr ? kUninitialized : kSuccess;
}

int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  if (version == nullptr) return kInvalidArgument;
  *version = CUDA_VERSION;
  return kSuccess;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, std::uintptr_t* handle) {
  unsigned domain = 0, bus = 0;
  if (bus_id == nullptr || handle == nullptr || std::sscanf(bus_id, "%x:%x:", &domain, &bus) != 2)
    return kInvalidArgument;
  if (devices() == nullptr) return kUninitialized;
  for (int device = 0; device < devices()->devices(); ++device) {
    if (domain != 0 || pci_bus(devices()->ordinal(device)) != static_cast<int>(bus)) continue;
    *handle = static_cast<std::uintptr_t>(device) + 1;
    return kSuccess;
  }
  return kNotFound;
}

// This process alone: others have dry GPUs of their own.
int nvmlDeviceGetComputeRunningProcesses(std::uintptr_t handle, unsigned* count, ProcessInfo* processes) {
  if (!is_device(handle) || count == nullptr) return kInvalidArgument;
  const unsigned space = *count;
  *count = 1;
  if (space == 0 || processes == nullptr) return kInsufficientSize;
  const int device = static_cast<int>(handle) - 1;
  *processes = {.pid = static_cast<unsigned>(getpid()),
                .used_bytes = devices()->used(device).memory.use().used_bytes};
  return kSuccess;
}

// Memory is shared by file descriptors, not through a fabric.
int nvmlDeviceGetGpuFabricInfoV(std::uintptr_t handle, FabricInfo* info) {
  if (!is_device(handle) || info == nullptr) return kInvalidArgument;
  *info = {.version = info->version, .cluster = {}, .status = kSuccess, .clique = 0, .state = 0, .health = 0};
  return kSuccess;
}

// The profile of a card says nothing about its links.
int nvmlDeviceGetNvLinkRemoteDeviceType(std::uintptr_t, unsigned, int*) {
  return kNotSupported;
}

int nvmlDeviceGetNvLinkRemotePciInfo_v2(std::uintptr_t, unsigned, void*) {
  return kNotSupported;
}

#pragma GCC visibility pop
}
// NOLINTEND(readability-identifier-naming)

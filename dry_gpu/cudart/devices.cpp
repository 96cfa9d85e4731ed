// SPDX-License-Identifier: Apache-2.0
// Devices and versions.
#include <cstdio>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"
#include "dry_gpu/device/profile/attributes.hpp"

using namespace strata::dry_gpu;

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  return call([&](Machine& machine, ThreadState&) {
    *count = machine.devices();
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call([&](Machine&, ThreadState& thread) {
    *device = thread.device;
    return cudaSuccess;
  });
}

// Makes the device's context, as the runtime does since CUDA 12.
cudaError_t cudaSetDevice(int device) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (!machine.has(device)) return cudaErrorInvalidDevice;
    thread.device = device;
    machine.used(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return call([&](Machine& machine, ThreadState&) {
    if (!machine.has(device)) return cudaErrorInvalidDevice;
    const auto known =
        attribute(machine.profile(), machine.ordinal(device), static_cast<CUdevice_attribute>(which));
    if (!known) return cudaErrorInvalidValue;
    *value = *known;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* result, int device) {
  return call([&](Machine& machine, ThreadState&) {
    if (!machine.has(device)) return cudaErrorInvalidDevice;
    *result = properties(machine.profile(), machine.ordinal(device));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call([&](Machine& machine, ThreadState&) {
    if (!machine.has(device)) return cudaErrorInvalidDevice;
    if (text == nullptr || length < 13) return cudaErrorInvalidValue;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0",
                  static_cast<unsigned>(pci_bus(machine.ordinal(device))));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020);
  return recorded.answer(call(
      [](Machine& machine, ThreadState& thread) { return wait_for_device(machine, thread, thread.device); }));
}

// From the least to the greatest: a number line that runs backwards, as CUDA's does.
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  if (least != nullptr) *least = 0;
  if (greatest != nullptr) *greatest = -5;
  return cudaSuccess;
}

// The CUDA that this library is built against: programs ask whether the driver is old.
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int* can, int device, int peer) {
  return call([&](Machine& machine, ThreadState&) {
    if (!machine.has(device) || !machine.has(peer)) return cudaErrorInvalidDevice;
    *can = device == peer ? 0 : 1;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned flags) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (flags != 0) return cudaErrorInvalidValue;
    if (!machine.has(peer) || peer == thread.device) return cudaErrorInvalidDevice;
    const std::uint64_t bit = std::uint64_t{1} << peer;
    const std::uint64_t before = machine.used(thread.device).peers.fetch_or(bit);
    return (before & bit) != 0 ? cudaErrorPeerAccessAlreadyEnabled : cudaSuccess;
  });
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (!machine.has(peer)) return cudaErrorInvalidDevice;
    const std::uint64_t bit = std::uint64_t{1} << peer;
    const std::uint64_t before = machine.used(thread.device).peers.fetch_and(~bit);
    return (before & bit) != 0 ? cudaSuccess : cudaErrorPeerAccessNotEnabled;
  });
}

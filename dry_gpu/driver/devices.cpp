// SPDX-License-Identifier: Apache-2.0
// Devices, contexts, versions and errors of the driver. The only contexts are the devices' own.
#include <cstdio>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/device/error_texts.hpp"
#include "dry_gpu/device/profile/attributes.hpp"
#include "dry_gpu/driver/call.hpp"

using namespace strata::dry_gpu;

namespace {

// `body(machine, device)`
template <typename Body>
CUresult drive_device(CUdevice device, Body&& body) {
  return drive([&](Machine& machine, ThreadState&) {
    return machine.has(device) ? body(machine, machine.device(device)) : CUDA_ERROR_INVALID_DEVICE;
  });
}

}  // namespace

CUresult cuInit(unsigned flags) {
  machine();
  return drive([&](Machine&, ThreadState&) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; });
}

CUresult cuDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  const ErrorText& known = error_text(error);
  *text = known.driver_name == nullptr ? nullptr : known.text;
  return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  *name = error_text(error).driver_name;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  return drive([&](Machine& machine, ThreadState&) {
    *count = machine.devices();
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGet(CUdevice* device, int index) {
  return drive_device(index, [&](Machine&, Device&) {
    *device = index;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  return drive_device(device, [&](Machine& machine, Device&) {
    if (name == nullptr || length <= 0) return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, static_cast<std::size_t>(length), "%s", machine.profile().name.c_str());
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetUuid_v2(CUuuid* id, CUdevice device) {
  return drive_device(device, [&](Machine& machine, Device&) {
    *id = uuid(machine.ordinal(device));
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice device) {
  return drive_device(device, [&](Machine& machine, Device&) {
    *bytes = machine.profile().memory_bytes;
    return CUDA_SUCCESS;
  });
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute which, CUdevice device) {
  return drive_device(device, [&](Machine& machine, Device&) {
    const auto known = attribute(machine.profile(), machine.ordinal(device), which);
    if (!known) return CUDA_ERROR_INVALID_VALUE;
    *value = *known;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* is_active) {
  return drive_device(device, [&](Machine&, Device& known) {
    *flags = 0;
    *is_active = known.has_context ? 1 : 0;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  return drive_device(device, [&](Machine& machine, Device&) {
    *context = &machine.used(device).context;
    return CUDA_SUCCESS;
  });
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device) {
  return drive_device(device, [](Machine&, Device&) { return CUDA_SUCCESS; });
}

CUresult cuCtxGetCurrent(CUcontext* context) {
  return drive([&](Machine& machine, ThreadState& thread) {
    Device& device = machine.device(thread.device);
    *context = device.has_context ? &device.context : nullptr;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSetCurrent(CUcontext context) {
  return drive([&](Machine&, ThreadState& thread) {
    if (context != nullptr) thread.device = context->device;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPushCurrent_v2(CUcontext context) {
  return drive([&](Machine&, ThreadState& thread) {
    if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
    thread.pushed_devices.push_back(thread.device);
    thread.device = context->device;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxPopCurrent_v2(CUcontext* context) {
  return drive([&](Machine& machine, ThreadState& thread) {
    if (thread.pushed_devices.empty()) return CUDA_ERROR_INVALID_CONTEXT;
    if (context != nullptr) *context = &machine.device(thread.device).context;
    thread.device = thread.pushed_devices.back();
    thread.pushed_devices.pop_back();
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxGetDevice(CUdevice* device) {
  return drive([&](Machine&, ThreadState& thread) {
    *device = thread.device;
    return CUDA_SUCCESS;
  });
}

CUresult cuCtxSynchronize() {
  return drive([](Machine& machine, ThreadState& thread) {
    return driver_error(wait_for_device(machine, thread, thread.device));
  });
}

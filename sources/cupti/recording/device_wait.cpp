// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/recording/device_wait.hpp"

#include <cuda.h>
#include <dlfcn.h>

namespace strata::cupti {
namespace {

// By their exported names, which may carry a version that cuda.h hides.
struct Driver {
  decltype(&::cuDeviceGetCount) device_count = nullptr;
  decltype(&::cuDevicePrimaryCtxGetState) state = nullptr;
  decltype(&::cuDevicePrimaryCtxRetain) retain = nullptr;
  decltype(&::cuDevicePrimaryCtxRelease) release = nullptr;
  decltype(&::cuCtxPushCurrent) push = nullptr;
  decltype(&::cuCtxPopCurrent) pop = nullptr;
  CUresult(CUDAAPI* wait)() = nullptr;

  bool is_whole() const {
    return device_count != nullptr && state != nullptr && retain != nullptr && release != nullptr &&
           push != nullptr && pop != nullptr && wait != nullptr;
  }
};

template <typename Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

CUresult wait_for(const Driver& driver, CUdevice device) {
  unsigned flags = 0;
  int is_active = 0;
  if (const CUresult error = driver.state(device, &flags, &is_active); error != CUDA_SUCCESS) return error;
  if (is_active == 0) return CUDA_SUCCESS;
  CUcontext context = nullptr;
  if (const CUresult error = driver.retain(&context, device); error != CUDA_SUCCESS) return error;
  CUresult result = driver.push(context);
  if (result == CUDA_SUCCESS) {
    result = driver.wait();
    driver.pop(&context);
  }
  driver.release(device);
  return result;
}

}  // namespace

std::string wait_for_devices() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return {};  // no device has been used
  Driver driver;
  find(library, "cuDeviceGetCount", driver.device_count);
  find(library, "cuDevicePrimaryCtxGetState", driver.state);
  find(library, "cuDevicePrimaryCtxRetain", driver.retain);
  find(library, "cuDevicePrimaryCtxRelease_v2", driver.release);
  find(library, "cuCtxPushCurrent_v2", driver.push);
  find(library, "cuCtxPopCurrent_v2", driver.pop);
  find(library, "cuCtxSynchronize", driver.wait);
  if (!driver.is_whole()) return "libcuda.so.1 is not a GPU driver";
  int devices = 0;
  CUresult result = driver.device_count(&devices);
  for (CUdevice device = 0; result == CUDA_SUCCESS && device < devices; ++device) {
    result = wait_for(driver, device);
  }
  return result == CUDA_SUCCESS ? std::string()
                                : "a device could not be waited for: CUDA's error " + std::to_string(result);
}

}  // namespace strata::cupti

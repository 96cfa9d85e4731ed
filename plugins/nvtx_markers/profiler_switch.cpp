// SPDX-License-Identifier: Apache-2.0
#include "plugins/nvtx_markers/profiler_switch.hpp"

#include <dlfcn.h>

#include <array>

namespace strata::nvtx_markers {
namespace {

// From a library that is already loaded; null if there is none with that name, or it has no such function.
void* find_in(const char* library, const char* function) {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const found = dlsym(handle, function);
  dlclose(handle);  // which gives back this call's own hold on it, no more
  return found;
}

constexpr std::array kRuntimes{"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};

// A function of the runtime, or of the driver beneath it.
void* find(const char* function) {
  // Exported by the program itself, or by a library that is preloaded.
  if (void* const found = dlsym(RTLD_DEFAULT, function); found != nullptr) return found;
  for (const char* const runtime : kRuntimes) {
    if (void* const found = find_in(runtime, function); found != nullptr) return found;
  }
  return find_in("libcuda.so.1", function);
}

// A runtime may be loaded and never used: torch brings it along. Its profiler switch would then make a
// context, which takes hundreds of MiB of the device.
bool has_context() {
  using GetCurrent = int (*)(void** context);  // CUresult, 0 is success
  const auto get_current = reinterpret_cast<GetCurrent>(find("cuCtxGetCurrent"));
  void* context = nullptr;
  return get_current != nullptr && get_current(&context) == 0 && context != nullptr;
}

}  // namespace

bool ProfilerSwitch::start() {
  on_ = call("cudaProfilerStart");
  return on_;
}

bool ProfilerSwitch::stop() {
  if (!on_) return true;
  on_ = false;
  const bool waited = call("cudaDeviceSynchronize");
  return call("cudaProfilerStop") && waited;
}

bool ProfilerSwitch::call(const char* function) {
  using Function = int (*)();  // cudaError_t, 0 is success
  const auto found = reinterpret_cast<Function>(find(function));
  if (found == nullptr) {
    problem_ = "no CUDA runtime is loaded in this process";
    return false;
  }
  if (!has_context()) {
    problem_ = "this thread uses no CUDA device";
    return false;
  }
  if (const int error = found(); error != 0) {
    problem_ = std::string(function) + " answered error " + std::to_string(error);
    return false;
  }
  return true;
}

}  // namespace strata::nvtx_markers

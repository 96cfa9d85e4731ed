// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/torch_profiler.hpp"

#include <dlfcn.h>

namespace strata::cupti {
namespace {

// bool torch::profiler::impl::profilerEnabled(), of torch/csrc/profiler/orchestration/observer.h.
constexpr const char* kEnabled = "_ZN5torch8profiler4impl15profilerEnabledEv";

}  // namespace

TorchProfiler::TorchProfiler() {
  void* const torch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
  if (torch == nullptr) return;
  enabled_ = reinterpret_cast<bool (*)()>(dlsym(torch, kEnabled));
  // Stays loaded: torch is never unloaded.
  dlclose(torch);
}

}  // namespace strata::cupti

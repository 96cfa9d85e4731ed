// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/cuda_start.hpp"

#include <c10/util/Logging.h>
#include <dlfcn.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <string>

#include "sources/torch/allocators/cuda_allocator_slot.hpp"

namespace strata::torch_source {
namespace {

std::atomic<void (*)()> to_call{nullptr};

// Does torch's next step a moment earlier. Throws like torch: if there is no device, or the settings of its
// allocator are invalid.
bool start_allocator() {
  void* const library = dlopen("libc10_cuda.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return false;
  void* const count = dlsym(library, "_ZN3c104cuda28device_count_ensure_non_zeroEv");
  CudaAllocatorSlot* const slot = cuda_allocator_slot();
  if (count == nullptr || slot == nullptr) return false;
  slot->load()->init(reinterpret_cast<std::int8_t (*)()>(count)());
  return true;
}

// Torch has one place for who listens to its reports; by default it prints them where this variable is set.
void hear(const std::string& event) {
  static const char* const printed = secure_getenv("PYTORCH_API_USAGE_STDERR");
  if (printed != nullptr && *printed != '\0') std::cerr << "PYTORCH_API_USAGE " << event << '\n';
  void (*const begins)() = to_call.load();
  if (begins == nullptr || event != "aten.init.cuda") return;
  // Torch's exception here is meant for the program: torch keeps the partial state, and does not throw again.
  if (!start_allocator()) return;
  try {
    begins();
  } catch (const std::exception&) {
    // This run goes without CUDA's memory.
  }
}

}  // namespace

void when_cuda_starts(void (*begins)()) {
  static std::once_flag listening;
  if (begins != nullptr) std::call_once(listening, [] { c10::SetAPIUsageLogger(&hear); });
  to_call.store(begins);
}

}  // namespace strata::torch_source

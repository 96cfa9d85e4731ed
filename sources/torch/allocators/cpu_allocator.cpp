// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/cpu_allocator.hpp"

#include <c10/core/Allocator.h>
#include <c10/core/CPUAllocator.h>

#include <atomic>

#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {
namespace {

constexpr std::uint8_t kHighestPriority = 255;

// Set before the wrapper is first registered and never changed: a deleter has no space to store its
// allocator.
c10::Allocator* wrapped = nullptr;
c10::DeleterFnPtr wrapped_deleter = nullptr;

std::atomic<std::uint64_t> not_followed{0};

void tell(std::uint32_t action, const void* address, std::size_t bytes) noexcept {
  report_host_block(STRATA_DEVICE_CPU, action, address, bytes);
}

// The free is reported before it happens: afterwards another thread may get the same address.
void free_block(void* block) {
  if (block != nullptr) tell(STRATA_MEMORY_FREE, block, 0);
  wrapped_deleter(block);
}

class TracedCpuAllocator final : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t bytes) override {
    c10::DataPtr block = allocate_wrapped(bytes);
    // Swapped for blocks without an address too: `raw_deleter` promises one deleter for all.
    if (!block.compare_exchange_deleter(wrapped_deleter, &free_block)) {
      not_followed.fetch_add(1, std::memory_order_relaxed);
      return block;
    }
    if (block.get() != nullptr) tell(STRATA_MEMORY_ALLOCATE, block.get(), bytes);
    return block;
  }

  bool is_simple_data_ptr(const c10::DataPtr& block) const override {
    return wrapped->is_simple_data_ptr(block);
  }

  c10::DeleterFnPtr raw_deleter() const override { return &free_block; }

  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    wrapped->copy_data(to, from, bytes);
  }

 private:
  static c10::DataPtr allocate_wrapped(std::size_t bytes) {
    try {
      return wrapped->allocate(bytes);
    } catch (...) {
      tell(STRATA_MEMORY_OUT_OF_MEMORY, nullptr, bytes);
      throw;
    }
  }
};

TracedCpuAllocator& traced_allocator() {
  // Never destroyed: storages made in a run ask it for more as long as they live.
  static auto& allocator = *new TracedCpuAllocator;
  return allocator;
}

}  // namespace

std::string install_cpu_allocator() {
  c10::Allocator* const registered = c10::GetCPUAllocator();
  if (registered == &traced_allocator()) return {};
  if (wrapped != nullptr && registered != wrapped) {
    return "torch's CPU allocator was replaced after it was first traced in this process: blocks of the "
           "first one could not be freed correctly. Register the other allocator before the first run.";
  }
  if (registered->raw_deleter() == nullptr) {
    return "torch's CPU allocator has no raw interface (raw_deleter() is null), so its blocks cannot be "
           "followed. Run with torch's own CPU allocator.";
  }
  wrapped = registered;
  wrapped_deleter = registered->raw_deleter();
  c10::SetCPUAllocator(&traced_allocator(), kHighestPriority);
  if (c10::GetCPUAllocator() == &traced_allocator()) return {};
  return "torch did not accept another CPU allocator (c10::SetCPUAllocator had no effect).";
}

void restore_cpu_allocator() {
  if (c10::GetCPUAllocator() == &traced_allocator()) c10::SetCPUAllocator(wrapped, kHighestPriority);
}

std::uint64_t take_blocks_not_followed() {
  return not_followed.exchange(0, std::memory_order_relaxed);
}

}  // namespace strata::torch_source

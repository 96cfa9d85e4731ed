// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/pinned_allocator.hpp"

#include <ATen/core/CachingHostAllocator.h>
#include <dlfcn.h>

#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {
namespace {

constexpr std::uint8_t kAbovePinnedPriority = 255;  // the highest: what comes later needs it too

void report_pinned(std::uint32_t action, const void* address, std::size_t bytes) noexcept {
  report_host_block(STRATA_DEVICE_CUDA_HOST, action, address, bytes);
}

// A block's context, which its deleter is called with, is the allocator's own, and events of streams are
// recorded by it: it stays as it is, and its address is looked up.
class PinnedBlocks {
 public:
  void add(void* context, const void* address, c10::DeleterFnPtr deleter) {
    const std::lock_guard lock(mutex_);
    blocks_[context] = {address, deleter};
  }

  std::pair<const void*, c10::DeleterFnPtr> take(void* context) {
    const std::lock_guard lock(mutex_);
    const auto block = blocks_.extract(context);
    return block.empty() ? std::pair<const void*, c10::DeleterFnPtr>() : block.mapped();
  }

 private:
  std::mutex mutex_;
  std::unordered_map<void*, std::pair<const void*, c10::DeleterFnPtr>> blocks_;
};

PinnedBlocks& pinned_blocks() {
  // Never destroyed: blocks may be freed as long as the process lives.
  static auto& blocks = *new PinnedBlocks;
  return blocks;
}

// Reported before it happens, like frees of CPU blocks.
void free_pinned_block(void* context) {
  const auto [address, deleter] = pinned_blocks().take(context);
  if (deleter == nullptr) return;
  report_pinned(STRATA_MEMORY_FREE, address, 0);
  deleter(context);
}

class TracedPinnedAllocator final : public at::HostAllocator {
 public:
  explicit TracedPinnedAllocator(at::HostAllocator& wrapped) : wrapped_(wrapped) {}

  at::HostAllocator& wrapped() const { return wrapped_; }

  c10::DataPtr allocate(std::size_t bytes) override {
    c10::DataPtr block = allocate_wrapped(bytes);
    if (block.get() == nullptr || block.get_context() == nullptr) return block;
    const c10::DeleterFnPtr deleter = block.get_deleter();
    pinned_blocks().add(block.get_context(), block.get(), deleter);
    if (!block.compare_exchange_deleter(deleter, &free_pinned_block)) return block;
    report_pinned(STRATA_MEMORY_ALLOCATE, block.get(), bytes);
    return block;
  }

  bool record_event(void* address, void* context, c10::Stream stream) override {
    return wrapped_.record_event(address, context, stream);
  }
  void empty_cache() override { wrapped_.empty_cache(); }
  at::HostStats get_stats() override { return wrapped_.get_stats(); }
  void reset_accumulated_stats() override { wrapped_.reset_accumulated_stats(); }
  void reset_peak_stats() override { wrapped_.reset_peak_stats(); }
  void begin_allocate_to_pool(c10::MempoolId_t pool, std::function<bool(c10::Stream)> filter) override {
    wrapped_.begin_allocate_to_pool(pool, std::move(filter));
  }
  void end_allocate_to_pool(c10::MempoolId_t pool) override { wrapped_.end_allocate_to_pool(pool); }
  void release_pool(c10::MempoolId_t pool) override { wrapped_.release_pool(pool); }
  void copy_data(void* to, const void* from, std::size_t bytes) const override {
    wrapped_.copy_data(to, from, bytes);
  }

 private:
  c10::DataPtr allocate_wrapped(std::size_t bytes) {
    try {
      return wrapped_.allocate(bytes);
    } catch (...) {
      report_pinned(STRATA_MEMORY_OUT_OF_MEMORY, nullptr, bytes);
      throw;
    }
  }

  at::HostAllocator& wrapped_;
};

TracedPinnedAllocator* traced_pinned = nullptr;  // set once; never destroyed

}  // namespace

std::string install_pinned_allocator() {
  if (dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD) == nullptr) return {};
  at::HostAllocator* const registered = at::getHostAllocator(c10::kCUDA);
  if (registered == nullptr || registered == traced_pinned) return {};
  if (traced_pinned != nullptr && registered != &traced_pinned->wrapped()) {
    return "torch's allocator of pinned memory was replaced after it was first traced in this process: this "
           "run shows no pinned memory. Register the other allocator before the first run.";
  }
  if (traced_pinned == nullptr) traced_pinned = new TracedPinnedAllocator(*registered);
  at::setHostAllocator(c10::kCUDA, traced_pinned, kAbovePinnedPriority);
  if (at::getHostAllocator(c10::kCUDA) == traced_pinned) return {};
  return "torch did not accept another allocator of pinned memory (at::setHostAllocator had no effect): this "
         "run shows none.";
}

void restore_pinned_allocator() {
  if (traced_pinned == nullptr || at::getHostAllocator(c10::kCUDA) != traced_pinned) return;
  at::setHostAllocator(c10::kCUDA, &traced_pinned->wrapped(), kAbovePinnedPriority);
}

}  // namespace strata::torch_source

// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/pinned_allocator.hpp"

#include <ATen/core/CachingHostAllocator.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <utility>

#include "sources/torch/host/host_link.hpp"

namespace strata::torch_source {
namespace {

constexpr std::uint8_t kAbovePinnedPriority = 255;  // the highest: what comes later needs it too

// What torch's allocator counts. It hands out whole blocks, larger than what was asked for, and keeps them
// when they are freed.
struct PinnedCount {
  std::int64_t handed_out_bytes = 0;  // of all blocks ever handed out
  std::int64_t held_bytes = 0;        // of the host's memory, handed out or not
};

// Empty for an allocator that does not count.
std::optional<PinnedCount> count_of(at::HostAllocator& allocator) noexcept try {
  const at::HostStats stats = allocator.get_stats();
  return PinnedCount{stats.active_bytes.allocated, stats.allocated_bytes.current};
} catch (...) {
  return std::nullopt;
}

// The order in which events are reported is the order in which blocks are counted.
struct PinnedOrder {
  std::recursive_mutex mutex;
  std::uint64_t handed_out_bytes = 0;  // of the blocks reported so far
  std::optional<std::int64_t> reported_held_bytes;
};

PinnedOrder& pinned_order() {
  static auto& order = *new PinnedOrder;
  return order;
}

// With the order's mutex held.
void report_pinned(std::uint32_t action, const void* address, std::size_t bytes) noexcept {
  report_host_block(STRATA_DEVICE_CUDA_HOST, action, address, bytes, pinned_order().handed_out_bytes);
}

void report_held(const std::optional<PinnedCount>& count) noexcept {
  if (!count || pinned_order().reported_held_bytes == count->held_bytes) return;
  pinned_order().reported_held_bytes = count->held_bytes;
  report_pinned(STRATA_MEMORY_RESERVED, nullptr, static_cast<std::size_t>(count->held_bytes));
}

// The size of the block that was handed out between the two; `bytes` if they do not tell.
std::uint64_t whole_bytes(const std::optional<PinnedCount>& before, const std::optional<PinnedCount>& after,
                          std::size_t bytes) {
  if (!before || !after) return bytes;
  const std::int64_t counted = after->handed_out_bytes - before->handed_out_bytes;
  return std::max<std::uint64_t>(bytes, static_cast<std::uint64_t>(std::max<std::int64_t>(counted, 0)));
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
  {
    const std::lock_guard order(pinned_order().mutex);
    report_pinned(STRATA_MEMORY_FREE, address, 0);
  }
  deleter(context);
}

class TracedPinnedAllocator final : public at::HostAllocator {
 public:
  explicit TracedPinnedAllocator(at::HostAllocator& wrapped) : wrapped_(wrapped) {}

  at::HostAllocator& wrapped() const { return wrapped_; }

  c10::DataPtr allocate(std::size_t bytes) override {
    const std::lock_guard order(pinned_order().mutex);
    const auto before = count_of(wrapped_);
    c10::DataPtr block = allocate_wrapped(bytes);
    if (block.get() == nullptr || block.get_context() == nullptr) return block;
    const c10::DeleterFnPtr deleter = block.get_deleter();
    pinned_blocks().add(block.get_context(), block.get(), deleter);
    if (!block.compare_exchange_deleter(deleter, &free_pinned_block)) return block;
    const auto after = count_of(wrapped_);
    report_held(after);
    report_pinned(STRATA_MEMORY_ALLOCATE, block.get(), bytes);
    if (after) pinned_order().handed_out_bytes += whole_bytes(before, after, bytes);
    return block;
  }

  bool record_event(void* address, void* context, c10::Stream stream) override {
    return wrapped_.record_event(address, context, stream);
  }
  void empty_cache() override {
    wrapped_.empty_cache();
    const std::lock_guard order(pinned_order().mutex);
    report_held(count_of(wrapped_));
  }
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
  {
    const std::lock_guard order(pinned_order().mutex);
    pinned_order().reported_held_bytes.reset();
  }
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

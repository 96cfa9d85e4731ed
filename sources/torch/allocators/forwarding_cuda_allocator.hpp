// SPDX-License-Identifier: Apache-2.0
// A CUDA allocator for torch that forwards every call to another one. Derived classes add behaviour.
//
// Every virtual function of c10's class is forwarded, also those with a default, because the other allocator
// may override them. The class matches the torch that this source was built for (torch_release.hpp).
#pragma once

#include <c10/cuda/CUDACachingAllocator.h>

#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace strata::torch_source {

class ForwardingCudaAllocator : public c10::cuda::CUDACachingAllocator::CUDAAllocator {
 public:
  using Allocator = c10::cuda::CUDACachingAllocator::CUDAAllocator;

  // `wrapped` must outlive this.
  explicit ForwardingCudaAllocator(Allocator& wrapped) : wrapped_(wrapped) {}

  Allocator& wrapped() const { return wrapped_; }

  // Overrides of c10::Allocator.
  c10::DataPtr allocate(std::size_t bytes) override;
  bool is_simple_data_ptr(const c10::DataPtr& block) const override;
  c10::DeleterFnPtr raw_deleter() const override;
  void copy_data(void* to, const void* from, std::size_t bytes) const override;

  // Overrides of c10::DeviceAllocator.
  bool initialized() override;
  void emptyCache(c10::MempoolId_t pool) override;
  void recordStream(const c10::DataPtr& block, c10::Stream stream) override;
  c10::CachingDeviceAllocator::DeviceStats getDeviceStats(c10::DeviceIndex device) override;
  void resetAccumulatedStats(c10::DeviceIndex device) override;
  void resetPeakStats(c10::DeviceIndex device) override;
  std::pair<std::size_t, std::size_t> getMemoryInfo(c10::DeviceIndex device) override;

  // Overrides of CUDAAllocator.
  void* raw_alloc(std::size_t bytes) override;
  void* raw_alloc_with_stream(std::size_t bytes, cudaStream_t stream) override;
  void raw_delete(void* block) override;
  void init(int devices) override;
  double getMemoryFraction(c10::DeviceIndex device) override;
  void setMemoryFraction(double fraction, c10::DeviceIndex device) override;
  std::vector<c10::cuda::CUDACachingAllocator::StreamSegmentSize> getExpandableSegmentSizes(
      c10::DeviceIndex device) override;
  void enable(bool value) override;
  bool isEnabled() const override;
  void cacheInfo(c10::DeviceIndex device, std::size_t* largest) override;
  void* getBaseAllocation(void* block, std::size_t* bytes) override;
  void recordStream(const c10::DataPtr& block, c10::cuda::CUDAStream stream) override;
  c10::cuda::CUDACachingAllocator::SnapshotInfo snapshot(c10::MempoolId_t pool, bool traces) override;
  void beginAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t pool,
                           std::function<bool(cudaStream_t)> filter) override;
  void endAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t pool) override;
  void releasePool(c10::DeviceIndex device, c10::MempoolId_t pool) override;
  int getPoolUseCount(c10::DeviceIndex device, c10::MempoolId_t pool) override;
  void createOrIncrefPool(c10::DeviceIndex device, c10::MempoolId_t pool,
                          std::shared_ptr<Allocator> allocator) override;
  void setUseOnOOM(c10::DeviceIndex device, c10::MempoolId_t pool, bool use) override;
  void setNoSplit(c10::DeviceIndex device, c10::MempoolId_t pool) override;
  bool checkPoolLiveAllocations(c10::DeviceIndex device, c10::MempoolId_t pool,
                                const std::unordered_set<void*>& expected) override;
  c10::cuda::CUDACachingAllocator::ShareableHandle shareIpcHandle(void* block) override;
  std::shared_ptr<void> getIpcDevPtr(std::string handle) override;
  bool isHistoryEnabled() override;
  void recordHistory(bool enabled, c10::cuda::CUDACachingAllocator::CreateContextFn context,
                     std::size_t most_entries, c10::cuda::CUDACachingAllocator::RecordContext when,
                     bool clear, const std::vector<std::string>& skipped) override;
  void recordAnnotation(const std::vector<std::pair<std::string, std::string>>& entries) override;
  void pushCompileContext(std::string& context) override;
  void popCompileContext() override;
  void setUserMetadata(const std::string& metadata) override;
  std::string getUserMetadata() override;
  void attachOutOfMemoryObserver(c10::cuda::CUDACachingAllocator::OutOfMemoryObserver observer) override;
  void attachAllocatorTraceTracker(c10::cuda::CUDACachingAllocator::AllocatorTraceTracker tracker) override;
  void enablePeerAccess(c10::DeviceIndex device, c10::DeviceIndex other) override;
  cudaError_t memcpyAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                          cudaStream_t stream, bool peers) override;
  std::shared_ptr<c10::cuda::CUDACachingAllocator::AllocatorState> getCheckpointState(
      c10::DeviceIndex device, c10::MempoolId_t pool) override;
  c10::cuda::CUDACachingAllocator::CheckpointDelta setCheckpointPoolState(
      c10::DeviceIndex device,
      std::shared_ptr<c10::cuda::CUDACachingAllocator::AllocatorState> state) override;
  std::string name() override;

  // From releases after 2.11, where these are overrides; in earlier ones they are never called.
  // NOLINTBEGIN(readability-identifier-naming): torch's names
  void markCaptureBegin(c10::DeviceIndex device);
  void markCaptureEnd(c10::DeviceIndex device);
  std::shared_ptr<c10::GatheredContext> getContextForPointer(const void* block);
  bool supportsUserMetadata();
  void annotateMemory(const void* block, const std::string& metadata);
  c10::DataPtr allocateWithAddress(std::size_t bytes, void* address);
  // NOLINTEND(readability-identifier-naming)

 private:
  Allocator& wrapped_;
};

// Declares attachOomRejectionObserver, whose parameter type some releases lack.
template <typename Base, typename Allocator>
class OomRejectionForwarding : public Base {
 public:
  using Base::Base;
};

template <typename Allocator, typename Observer>
Observer observer_of(void (Allocator::*)(Observer));

template <typename Base, typename Allocator>
requires requires {
  &Allocator::attachOomRejectionObserver;
}
class OomRejectionForwarding<Base, Allocator> : public Base {
 public:
  using Base::Base;
  using Observer = decltype(observer_of(&Allocator::attachOomRejectionObserver));

  void attachOomRejectionObserver(Observer observer) override {
    this->wrapped().attachOomRejectionObserver(std::move(observer));
  }
};

// Base of wrapping allocators: forwards all virtual functions of any release.
using WholeForwarding =
    OomRejectionForwarding<ForwardingCudaAllocator, c10::cuda::CUDACachingAllocator::CUDAAllocator>;

}  // namespace strata::torch_source

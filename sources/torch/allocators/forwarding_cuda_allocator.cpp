// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/forwarding_cuda_allocator.hpp"

#include <cstdint>

// c10's class asks the device for its memory in a default of its own. Nobody calls that default here, and a
// run on the CPU has no library that these would be found in.
#pragma weak cudaMemGetInfo
// In later releases, the function declared below takes an object that collects the driver's log.
__asm__(".weak _ZN3c104cuda19CUDAErrorLogCaptureC1Ev");
__asm__(".weak _ZN3c104cuda29c10_cuda_check_implementationEiPKcS2_jbPNS0_19CUDAErrorLogCaptureE");
namespace c10::cuda {
__attribute__((weak)) void c10_cuda_check_implementation(std::int32_t, const char*, const char*,
                                                         std::uint32_t, bool);
}

namespace strata::torch_source {

using namespace c10::cuda::CUDACachingAllocator;  // NOLINT(google-build-using-namespace)
using Forwarding = ForwardingCudaAllocator;

c10::DataPtr Forwarding::allocate(std::size_t bytes) {
  return wrapped_.allocate(bytes);
}
bool Forwarding::is_simple_data_ptr(const c10::DataPtr& block) const {
  return wrapped_.is_simple_data_ptr(block);
}
c10::DeleterFnPtr Forwarding::raw_deleter() const {
  return wrapped_.raw_deleter();
}
void Forwarding::copy_data(void* to, const void* from, std::size_t bytes) const {
  wrapped_.copy_data(to, from, bytes);
}

bool Forwarding::initialized() {
  return wrapped_.initialized();
}
void Forwarding::emptyCache(c10::MempoolId_t pool) {
  wrapped_.emptyCache(pool);
}
void Forwarding::recordStream(const c10::DataPtr& block, c10::Stream stream) {
  wrapped_.recordStream(block, stream);
}
c10::CachingDeviceAllocator::DeviceStats Forwarding::getDeviceStats(c10::DeviceIndex device) {
  return wrapped_.getDeviceStats(device);
}
void Forwarding::resetAccumulatedStats(c10::DeviceIndex device) {
  wrapped_.resetAccumulatedStats(device);
}
void Forwarding::resetPeakStats(c10::DeviceIndex device) {
  wrapped_.resetPeakStats(device);
}
std::pair<std::size_t, std::size_t> Forwarding::getMemoryInfo(c10::DeviceIndex device) {
  return wrapped_.getMemoryInfo(device);
}

void* Forwarding::raw_alloc(std::size_t bytes) {
  return wrapped_.raw_alloc(bytes);
}
void* Forwarding::raw_alloc_with_stream(std::size_t bytes, cudaStream_t stream) {
  return wrapped_.raw_alloc_with_stream(bytes, stream);
}
void Forwarding::raw_delete(void* block) {
  wrapped_.raw_delete(block);
}
void Forwarding::init(int devices) {
  wrapped_.init(devices);
}
double Forwarding::getMemoryFraction(c10::DeviceIndex device) {
  return wrapped_.getMemoryFraction(device);
}
void Forwarding::setMemoryFraction(double fraction, c10::DeviceIndex device) {
  wrapped_.setMemoryFraction(fraction, device);
}
std::vector<StreamSegmentSize> Forwarding::getExpandableSegmentSizes(c10::DeviceIndex device) {
  return wrapped_.getExpandableSegmentSizes(device);
}
void Forwarding::enable(bool value) {
  wrapped_.enable(value);
}
bool Forwarding::isEnabled() const {
  return wrapped_.isEnabled();
}
void Forwarding::cacheInfo(c10::DeviceIndex device, std::size_t* largest) {
  wrapped_.cacheInfo(device, largest);
}
void* Forwarding::getBaseAllocation(void* block, std::size_t* bytes) {
  return wrapped_.getBaseAllocation(block, bytes);
}
void Forwarding::recordStream(const c10::DataPtr& block, c10::cuda::CUDAStream stream) {
  wrapped_.recordStream(block, stream);
}
SnapshotInfo Forwarding::snapshot(c10::MempoolId_t pool, bool traces) {
  return wrapped_.snapshot(pool, traces);
}
void Forwarding::beginAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t pool,
                                     std::function<bool(cudaStream_t)> filter) {
  wrapped_.beginAllocateToPool(device, pool, std::move(filter));
}
void Forwarding::endAllocateToPool(c10::DeviceIndex device, c10::MempoolId_t pool) {
  wrapped_.endAllocateToPool(device, pool);
}
void Forwarding::releasePool(c10::DeviceIndex device, c10::MempoolId_t pool) {
  wrapped_.releasePool(device, pool);
}
int Forwarding::getPoolUseCount(c10::DeviceIndex device, c10::MempoolId_t pool) {
  return wrapped_.getPoolUseCount(device, pool);
}
void Forwarding::createOrIncrefPool(c10::DeviceIndex device, c10::MempoolId_t pool,
                                    std::shared_ptr<Allocator> allocator) {
  wrapped_.createOrIncrefPool(device, pool, std::move(allocator));
}
void Forwarding::setUseOnOOM(c10::DeviceIndex device, c10::MempoolId_t pool, bool use) {
  wrapped_.setUseOnOOM(device, pool, use);
}
void Forwarding::setNoSplit(c10::DeviceIndex device, c10::MempoolId_t pool) {
  wrapped_.setNoSplit(device, pool);
}
bool Forwarding::checkPoolLiveAllocations(c10::DeviceIndex device, c10::MempoolId_t pool,
                                          const std::unordered_set<void*>& expected) {
  return wrapped_.checkPoolLiveAllocations(device, pool, expected);
}
ShareableHandle Forwarding::shareIpcHandle(void* block) {
  return wrapped_.shareIpcHandle(block);
}
std::shared_ptr<void> Forwarding::getIpcDevPtr(std::string handle) {
  return wrapped_.getIpcDevPtr(std::move(handle));
}
bool Forwarding::isHistoryEnabled() {
  return wrapped_.isHistoryEnabled();
}
void Forwarding::recordHistory(bool enabled, CreateContextFn context, std::size_t most_entries,
                               RecordContext when, bool clear, const std::vector<std::string>& skipped) {
  wrapped_.recordHistory(enabled, context, most_entries, when, clear, skipped);
}
void Forwarding::recordAnnotation(const std::vector<std::pair<std::string, std::string>>& entries) {
  wrapped_.recordAnnotation(entries);
}
void Forwarding::pushCompileContext(std::string& context) {
  wrapped_.pushCompileContext(context);
}
void Forwarding::popCompileContext() {
  wrapped_.popCompileContext();
}
void Forwarding::setUserMetadata(const std::string& metadata) {
  wrapped_.setUserMetadata(metadata);
}
std::string Forwarding::getUserMetadata() {
  return wrapped_.getUserMetadata();
}
void Forwarding::attachOutOfMemoryObserver(OutOfMemoryObserver observer) {
  wrapped_.attachOutOfMemoryObserver(std::move(observer));
}
void Forwarding::attachAllocatorTraceTracker(AllocatorTraceTracker tracker) {
  wrapped_.attachAllocatorTraceTracker(std::move(tracker));
}
void Forwarding::enablePeerAccess(c10::DeviceIndex device, c10::DeviceIndex other) {
  wrapped_.enablePeerAccess(device, other);
}
cudaError_t Forwarding::memcpyAsync(void* to, int to_device, const void* from, int from_device,
                                    std::size_t bytes, cudaStream_t stream, bool peers) {
  return wrapped_.memcpyAsync(to, to_device, from, from_device, bytes, stream, peers);
}
std::shared_ptr<AllocatorState> Forwarding::getCheckpointState(c10::DeviceIndex device,
                                                               c10::MempoolId_t pool) {
  return wrapped_.getCheckpointState(device, pool);
}
CheckpointDelta Forwarding::setCheckpointPoolState(c10::DeviceIndex device,
                                                   std::shared_ptr<AllocatorState> state) {
  return wrapped_.setCheckpointPoolState(device, std::move(state));
}
std::string Forwarding::name() {
  return wrapped_.name();
}

namespace {

// The allocator's `call`, if its release has it; otherwise the behaviour of a release without it.
template <typename Allocator>
void mark_capture(Allocator& allocator, c10::DeviceIndex device, bool begins) {
  if constexpr (requires { allocator.markCaptureBegin(device); })
    begins ? allocator.markCaptureBegin(device) : allocator.markCaptureEnd(device);
}
template <typename Allocator>
std::shared_ptr<c10::GatheredContext> context_of(Allocator& allocator, const void* block) {
  if constexpr (requires { allocator.getContextForPointer(block); })
    return allocator.getContextForPointer(block);
  return nullptr;
}
template <typename Allocator>
bool supports_metadata(Allocator& allocator) {
  if constexpr (requires { allocator.supportsUserMetadata(); }) return allocator.supportsUserMetadata();
  return false;
}
template <typename Allocator>
void annotate(Allocator& allocator, const void* block, const std::string& metadata) {
  if constexpr (requires { allocator.annotateMemory(block, metadata); })
    allocator.annotateMemory(block, metadata);
}
template <typename Allocator>
c10::DataPtr allocate_at(Allocator& allocator, std::size_t bytes, void* address) {
  if constexpr (requires { allocator.allocateWithAddress(bytes, address); })
    return allocator.allocateWithAddress(bytes, address);
  return {};
}

}  // namespace

void Forwarding::markCaptureBegin(c10::DeviceIndex device) {
  mark_capture(wrapped_, device, true);
}
void Forwarding::markCaptureEnd(c10::DeviceIndex device) {
  mark_capture(wrapped_, device, false);
}
std::shared_ptr<c10::GatheredContext> Forwarding::getContextForPointer(const void* block) {
  return context_of(wrapped_, block);
}
bool Forwarding::supportsUserMetadata() {
  return supports_metadata(wrapped_);
}
void Forwarding::annotateMemory(const void* block, const std::string& metadata) {
  annotate(wrapped_, block, metadata);
}
c10::DataPtr Forwarding::allocateWithAddress(std::size_t bytes, void* address) {
  return allocate_at(wrapped_, bytes, address);
}

}  // namespace strata::torch_source

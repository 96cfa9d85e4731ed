// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/clock/clock.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "dry_gpu/clock/kernel_estimate.hpp"

namespace strata::dry_gpu {
namespace {

thread_local bool is_in_one_call = false;

bool is_blocking(const CUstream_st& stream) {
  return !stream.is_legacy && (stream.flags & cudaStreamNonBlocking) == 0;
}

}  // namespace

Clock::Clock(const DeviceProfile& device, const ClockSettings& settings, int devices, ModelledSums& sums)
    : roofline_(device, settings),
      sums_(sums),
      host_(static_cast<std::int64_t>(settings.host_call_ns)),
      devices_(static_cast<std::size_t>(devices)) {
  sums_.is_modelled = 1;
}

Work Clock::kernel(const char* name, const dim3& grid, const dim3& block, std::size_t shared_bytes,
                   void** arguments) {
  const KernelShape& shape = shape_of(name);
  return {kernel_estimate(roofline_, shape, grid, block, arguments),
          KernelWork{name == nullptr ? "unnamed kernel" : name, grid, block, shared_bytes}};
}

const KernelShape& Clock::shape_of(const char* name) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, is_new] = shapes_.try_emplace(name);
  if (is_new && name != nullptr) entry->second = kernel_shape(name);
  return entry->second;
}

const char* Clock::keep(const std::string& name) {
  const std::scoped_lock lock(mutex_);
  return names_.insert(name).first->c_str();
}

Clock::OneCall::OneCall(Clock& clock) {
  const std::scoped_lock lock(clock.mutex_);
  clock.pass_call();
  is_within_another_ = std::exchange(is_in_one_call, true);
}

Clock::OneCall::~OneCall() {
  is_in_one_call = is_within_another_;
}

void Clock::pass_call() {
  if (!is_in_one_call) host_.pass_call();
}

std::int64_t Clock::begin_of(const CUstream_st& stream) const {
  const DeviceTime& device = devices_[static_cast<std::size_t>(stream.device)];
  std::int64_t begin = std::max(stream.busy_until_ns, host_.now());
  if (stream.is_legacy) begin = std::max(begin, device.blocking_ns);
  if (is_blocking(stream)) begin = std::max(begin, device.legacy_ns);
  return begin;
}

void Clock::make_busy(CUstream_st& stream, std::int64_t until_ns) {
  stream.busy_until_ns = std::max(stream.busy_until_ns, until_ns);
  DeviceTime& device = devices_[static_cast<std::size_t>(stream.device)];
  if (stream.is_legacy) device.legacy_ns = std::max(device.legacy_ns, until_ns);
  if (is_blocking(stream)) device.blocking_ns = std::max(device.blocking_ns, until_ns);
  device.all_ns = std::max(device.all_ns, until_ns);
}

Span Clock::run(CUstream_st& stream, const Work& work) {
  Span span{};
  WorkObserver* observer = nullptr;
  std::int64_t offset_ns = 0;
  {
    const std::scoped_lock lock(mutex_);
    pass_call();
    span.begin_ns = begin_of(stream);
    span.end_ns = span.begin_ns + work.estimate.ns;
    make_busy(stream, span.end_ns);
    observer = observer_;
    offset_ns = host_.offset_ns();
  }
  sums_.add(work.estimate);
  if (observer != nullptr) observer->done(work, span, stream, offset_ns);
  return span;
}

std::int64_t Clock::done_at(const CUstream_st& stream) {
  const std::scoped_lock lock(mutex_);
  return begin_of(stream);
}

std::int64_t Clock::record(const CUstream_st& stream) {
  const std::scoped_lock lock(mutex_);
  pass_call();
  return begin_of(stream);
}

void Clock::hold_back(CUstream_st& stream, std::int64_t until_ns) {
  const std::scoped_lock lock(mutex_);
  pass_call();
  make_busy(stream, until_ns);
}

bool Clock::is_past(std::int64_t ns) {
  const std::scoped_lock lock(mutex_);
  pass_call();
  return ns <= host_.now();
}

void Clock::wait_until(std::int64_t ns) {
  std::int64_t left_ns = 0;
  {
    const std::scoped_lock lock(mutex_);
    pass_call();
    host_.go_on_to(ns);
    left_ns = ns - host_.now();
  }
  if (left_ns > 0) std::this_thread::sleep_for(std::chrono::nanoseconds(left_ns));
}

void Clock::wait_for_device(int device) {
  std::int64_t until_ns = 0;
  {
    const std::scoped_lock lock(mutex_);
    until_ns = devices_[static_cast<std::size_t>(device)].all_ns;
  }
  wait_until(until_ns);
}

void Clock::observe(WorkObserver* observer) {
  const std::scoped_lock lock(mutex_);
  if (observer == nullptr) {
    host_.make_virtual();
  } else {
    for (const DeviceTime& device : devices_) host_.go_on_to(device.all_ns);
    host_.make_real();
  }
  observer_ = observer;
}

}  // namespace strata::dry_gpu

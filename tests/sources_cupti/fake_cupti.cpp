// SPDX-License-Identifier: Apache-2.0
// Every function that the broker looks up, and nothing else, is to be found in this library. Long, for each
// of CUPTI's functions is there twice, and all of them share one state that no header shows.
#include "tests/sources_cupti/fake_cupti.hpp"

#include <cupti.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

using strata::test::FakeCupti;

struct Buffer {
  std::mutex mutex;
  std::uint8_t* memory = nullptr;
  std::size_t bytes = 0, used = 0;
};

FakeCupti the_fake;
std::mutex the_mutex;  // of what follows
std::vector<std::shared_ptr<Buffer>> the_buffers;
CUpti_BuffersCallbackRequestFunc the_request = nullptr;
CUpti_BuffersCallbackCompleteFunc the_complete = nullptr;
using RequestForSubscriber = void (*)(std::uint8_t**, std::size_t*, std::size_t*, void*);
using CompleteForSubscriber = void (*)(std::uint8_t*, std::size_t, std::size_t, void*);
RequestForSubscriber the_shared_request = nullptr;
CompleteForSubscriber the_shared_complete = nullptr;
std::atomic<bool> is_subscribed = false, is_shared = false;
std::atomic<std::uint32_t> last_correlation = 0;
std::atomic<std::size_t> dropped = 0;
thread_local std::vector<std::uint64_t> pushed;

// Kernels' records have grown since 13.0.
std::size_t kernel_bytes() {
  return sizeof(CUpti_ActivityKernel10) + (the_fake.version >= 130300 ? 16 : 0);
}

std::size_t bytes_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return kernel_bytes();
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
      return sizeof(CUpti_ActivityOverhead3);
    default:
      return 0;
  }
}

std::shared_ptr<Buffer> own_buffer() {
  static thread_local std::shared_ptr<Buffer> own;
  if (own == nullptr) {
    own = std::make_shared<Buffer>();
    const std::scoped_lock lock(the_mutex);
    the_buffers.push_back(own);
  }
  return own;
}

void hand_over(Buffer& buffer, std::size_t cut_bytes) {
  if (buffer.memory == nullptr) return;
  std::uint8_t* const memory = std::exchange(buffer.memory, nullptr);
  const std::size_t used = buffer.used - std::min(cut_bytes, buffer.used);
  if (the_shared_complete != nullptr) {
    the_shared_complete(memory, buffer.bytes, used, nullptr);
  } else {
    the_complete(nullptr, 0, memory, buffer.bytes, used);
  }
}

bool get_memory(Buffer& buffer) {
  std::size_t most_records = 0;
  buffer.used = 0;
  if (the_shared_request != nullptr) {
    the_shared_request(&buffer.memory, &buffer.bytes, &most_records, nullptr);
  } else if (the_request != nullptr) {
    the_request(&buffer.memory, &buffer.bytes, &most_records);
  }
  if (buffer.memory == nullptr) return false;
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  if (!std::all_of(buffer.memory, buffer.memory + buffer.bytes, is_zero)) ++the_fake.unclean_buffers;
  return true;
}

void write_to(Buffer& buffer, const void* record, std::size_t bytes) {
  const std::scoped_lock lock(buffer.mutex);
  if (buffer.memory != nullptr && buffer.used + bytes > buffer.bytes) hand_over(buffer, 0);
  if (buffer.memory == nullptr && !get_memory(buffer)) {
    ++dropped;
    return;
  }
  std::memcpy(buffer.memory + buffer.used, record, bytes);
  buffer.used += bytes;
}

void write(const void* record, std::size_t bytes) {
  write_to(*own_buffer(), record, bytes);
}

bool is_enabled(CUpti_ActivityKind kind) {
  return the_fake.enabled[static_cast<std::size_t>(kind)];
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  const std::int64_t ns = std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  return static_cast<std::uint64_t>(ns + the_fake.clock_offset_ns);
}

// As CUPTI does: what was pushed, and then the call.
void write_call(std::uint32_t correlation, CUpti_CallbackId function, std::uint64_t start) {
  if (!is_enabled(CUPTI_ACTIVITY_KIND_RUNTIME)) return;
  if (!pushed.empty() && is_enabled(CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION)) {
    CUpti_ActivityExternalCorrelation external{};
    external.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
    external.externalKind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM2;
    external.externalId = pushed.back();
    external.correlationId = correlation;
    write(&external, sizeof external);
  }
  CUpti_ActivityAPI call{};
  call.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  call.cbid = function;
  call.start = start;
  call.end = now();
  call.processId = static_cast<std::uint32_t>(getpid());
  call.threadId = static_cast<std::uint32_t>(gettid());
  call.correlationId = correlation;
  write(&call, sizeof call);
}

void write_kernel(Buffer& buffer, std::uint32_t correlation, const char* name, std::int64_t kernel_ns) {
  if (!is_enabled(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)) return;
  alignas(8) std::array<std::uint8_t, sizeof(CUpti_ActivityKernel10) + 16> bytes{};
  CUpti_ActivityKernel10 kernel{};
  kernel.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  kernel.name = name;
  kernel.correlationId = correlation;
  kernel.streamId = 7;
  kernel.contextId = 1;
  kernel.gridX = 3;
  kernel.blockX = 128;
  if (kernel_ns >= 0) {
    kernel.start = now();
    kernel.end = kernel.start + static_cast<std::uint64_t>(kernel_ns);
  }
  std::memcpy(bytes.data(), &kernel, sizeof kernel);
  write_to(buffer, bytes.data(), kernel_bytes());
}

std::uint32_t launch(const char* name, std::int64_t kernel_ns) {
  const std::uint32_t correlation = ++last_correlation;
  const std::uint64_t start = now();
  write_call(correlation, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, start);
  write_kernel(*own_buffer(), correlation, name, kernel_ns);
  return correlation;
}

std::uint32_t launch_told_backwards(const char* name) {
  const std::uint32_t correlation = ++last_correlation;
  const std::uint64_t start = now();
  Buffer devices;
  write_kernel(devices, correlation, name, 500);
  {
    const std::scoped_lock lock(devices.mutex);
    hand_over(devices, 0);
  }
  write_call(correlation, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, start);
  return correlation;
}

std::uint32_t call() {
  const std::uint32_t correlation = ++last_correlation;
  write_call(correlation, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, now());
  return correlation;
}

void complete(std::size_t cut_bytes) {
  const std::shared_ptr<Buffer> own = own_buffer();
  const std::scoped_lock lock(own->mutex);
  hand_over(*own, cut_bytes);
}

void complete_late() {
  Buffer buffer;
  if (get_memory(buffer)) {
    buffer.used = 8;
    hand_over(buffer, 0);
  }
}

void reset() {
  {
    const std::scoped_lock lock(the_mutex);
    for (const std::shared_ptr<Buffer>& buffer : the_buffers) {
      const std::scoped_lock buffer_lock(buffer->mutex);
      hand_over(*buffer, 0);
    }
    the_request = nullptr;
    the_complete = nullptr;
    the_shared_request = nullptr;
    the_shared_complete = nullptr;
  }
  std::destroy_at(&the_fake);
  std::construct_at(&the_fake);
  the_fake.launch = &launch;
  the_fake.launch_told_backwards = &launch_told_backwards;
  the_fake.call = &call;
  the_fake.write = &write;
  the_fake.complete = &complete;
  the_fake.complete_late = &complete_late;
  the_fake.now = &now;
  the_fake.reset = &reset;
  is_subscribed = false;
  is_shared = false;
  dropped = 0;
}

// Of the Activity API: ours if we have subscribed, and of the kind that we have subscribed with.
template <typename Body>
CUptiResult for_subscriber(bool names_subscriber, Body&& body) {
  if (!is_subscribed) ++the_fake.calls_without_subscription;
  if (is_shared != names_subscriber) {
    ++the_fake.calls_of_wrong_kind;
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  return body();
}

CUptiResult enable(CUpti_ActivityKind kind, bool is_on) {
  if (is_on && static_cast<int>(kind) == the_fake.refused_kind) return CUPTI_ERROR_NOT_COMPATIBLE;
  the_fake.enabled[static_cast<std::size_t>(kind)] = is_on;
  return CUPTI_SUCCESS;
}

CUptiResult next_record(std::uint8_t* buffer, std::size_t valid_bytes, CUpti_Activity** record) {
  auto* const last = reinterpret_cast<std::uint8_t*>(*record);
  std::uint8_t* const next = last == nullptr ? buffer : last + bytes_of((*record)->kind);
  const auto left = static_cast<std::size_t>(buffer + valid_bytes - next);
  if (left == 0) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  CUpti_ActivityKind kind{};
  if (left < sizeof kind) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  std::memcpy(&kind, next, sizeof kind);
  const std::size_t bytes = bytes_of(kind);
  if (bytes == 0) return CUPTI_ERROR_INVALID_KIND;
  if (bytes > left) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}

CUptiResult set_attribute(CUpti_ActivityAttribute attribute, const void* value) {
  if (attribute != CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER) return CUPTI_ERROR_INVALID_PARAMETER;
  the_fake.zeroed_buffers = *static_cast<const std::uint8_t*>(value) != 0;
  return CUPTI_SUCCESS;
}

CUptiResult push(std::uint64_t id) {
  pushed.push_back(id);
  ++the_fake.pushes;
  return CUPTI_SUCCESS;
}

CUptiResult pop() {
  if (pushed.empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  pushed.pop_back();
  ++the_fake.pops;
  return CUPTI_SUCCESS;
}

}  // namespace

FAKE FakeCupti* fake_cupti() {
  if (the_fake.launch == nullptr) reset();
  return &the_fake;
}

FAKE CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = the_fake.version;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetTimestamp(std::uint64_t* ns) {
  return for_subscriber(false, [&] {
    *ns = now();
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_UNKNOWN ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OF_ANOTHER_KIND";
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t function,
                                      const char** name) {
  if (domain != CUPTI_CB_DOMAIN_RUNTIME_API) return CUPTI_ERROR_INVALID_PARAMETER;
  *name = function == CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000 ? "cudaLaunchKernel_v7000"
                                                                      : "cudaMalloc_v3020";
  return CUPTI_SUCCESS;
}

FAKE CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc, void*,
                                   CUpti_SubscriberParams* params) {
  struct Shared {
    CUpti_SubscriberParams known;
    std::uint8_t allows;
  };
  const bool wants_sharing =
      params->structSize > sizeof *params && reinterpret_cast<const Shared*>(params)->allows != 0;
  int result = the_fake.subscribe_result;
  if (wants_sharing) result = the_fake.allows_sharing ? 0 : 39;
  if (result == 0 && is_subscribed) result = 39;
  if (result != 0) {
    if (result == 39 && params->oldSubscriberName != nullptr)
      std::memcpy(params->oldSubscriberName, the_fake.holder.data(), the_fake.holder.size());
    return static_cast<CUptiResult>(result);
  }
  std::strncpy(the_fake.subscriber.data(), params->subscriberName, the_fake.subscriber.size() - 1);
  is_shared = wants_sharing;
  is_subscribed = true;
  ++the_fake.subscriptions;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&the_fake);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) {
  return CUPTI_ERROR_INVALID_OPERATION;  // the broker gives its name where it can
}
FAKE CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  is_subscribed = false;
  is_shared = false;
  ++the_fake.unsubscriptions;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiFinalize() {
  ++the_fake.finalizations;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  the_fake.system_threads = type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  ++the_fake.flushes;
  std::vector<std::shared_ptr<Buffer>> buffers;
  {
    const std::scoped_lock lock(the_mutex);
    buffers = the_buffers;
  }
  for (const std::shared_ptr<Buffer>& buffer : buffers) {
    const std::scoped_lock lock(buffer->mutex);
    hand_over(*buffer, 0);
  }
  return CUPTI_SUCCESS;
}

FAKE CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                CUpti_BuffersCallbackCompleteFunc complete_buffer) {
  return for_subscriber(false, [&] {
    const std::scoped_lock lock(the_mutex);
    the_request = request;
    the_complete = complete_buffer;
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  return for_subscriber(false, [&] { return enable(kind, true); });
}
FAKE CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  return for_subscriber(false, [&] { return enable(kind, false); });
}
FAKE CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId, std::uint8_t) {
  return for_subscriber(false, [] { return CUPTI_SUCCESS; });
}
FAKE CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId, std::uint8_t) {
  return for_subscriber(false, [] { return CUPTI_SUCCESS; });
}
FAKE CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes,
                                            CUpti_Activity** record) {
  return next_record(buffer, bytes, record);
}
FAKE CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* count) {
  return for_subscriber(false, [&] {
    *count = dropped.exchange(0) + std::exchange(the_fake.dropped, 0);
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t*, void* value) {
  return for_subscriber(false, [&] { return set_attribute(attribute, value); });
}
FAKE CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t id) {
  return for_subscriber(false, [&] { return push(id); });
}
FAKE CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind, std::uint64_t*) {
  return for_subscriber(false, [] { return pop(); });
}

// The same with a subscriber.
FAKE CUptiResult cuptiGetTimestamp_v2(CUpti_SubscriberHandle, std::uint64_t* ns) {
  return for_subscriber(true, [&] {
    *ns = now();
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiActivityRegisterCallbacks_v2(CUpti_SubscriberHandle, RequestForSubscriber request,
                                                   CompleteForSubscriber complete_buffer) {
  return for_subscriber(true, [&] {
    const std::scoped_lock lock(the_mutex);
    the_shared_request = request;
    the_shared_complete = complete_buffer;
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiActivityEnable_v2(CUpti_SubscriberHandle, CUpti_ActivityKind kind, void*) {
  return for_subscriber(true, [&] { return enable(kind, true); });
}
FAKE CUptiResult cuptiActivityDisable_v2(CUpti_SubscriberHandle, CUpti_ActivityKind kind, void*) {
  return for_subscriber(true, [&] { return enable(kind, false); });
}
FAKE CUptiResult cuptiActivityEnableRuntimeApi_v2(CUpti_SubscriberHandle, CUpti_CallbackId, std::uint8_t) {
  return for_subscriber(true, [] { return CUPTI_SUCCESS; });
}
FAKE CUptiResult cuptiActivityEnableDriverApi_v2(CUpti_SubscriberHandle, CUpti_CallbackId, std::uint8_t) {
  return for_subscriber(true, [] { return CUPTI_SUCCESS; });
}
FAKE CUptiResult cuptiActivityGetNextRecord_v2(CUpti_SubscriberHandle, std::uint8_t* buffer,
                                               std::size_t bytes, CUpti_Activity** record) {
  return next_record(buffer, bytes, record);
}
FAKE CUptiResult cuptiActivityGetNumDroppedRecords_v2(CUpti_SubscriberHandle, CUcontext, std::uint32_t,
                                                      std::size_t* count) {
  return for_subscriber(true, [&] {
    *count = dropped.exchange(0);
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiActivitySetAttribute_v2(CUpti_SubscriberHandle, CUpti_ActivityAttribute attribute,
                                              std::size_t*, void* value) {
  return for_subscriber(true, [&] { return set_attribute(attribute, value); });
}
FAKE CUptiResult cuptiActivityPushExternalCorrelationId_v2(CUpti_SubscriberHandle,
                                                           CUpti_ExternalCorrelationKind, std::uint64_t id) {
  return for_subscriber(true, [&] { return push(id); });
}
FAKE CUptiResult cuptiActivityPopExternalCorrelationId_v2(CUpti_SubscriberHandle,
                                                          CUpti_ExternalCorrelationKind, std::uint64_t*) {
  return for_subscriber(true, [] { return pop(); });
}

// SPDX-License-Identifier: Apache-2.0
// Exports exactly the functions that the broker looks up. The file is long because each of CUPTI's functions
// exists twice.
#include <cupti.h>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/sources_cupti/fake_state.hpp"

#define FAKE extern "C" __attribute__((visibility("default")))

namespace {

using strata::test::CompleteForSubscriber;
using strata::test::enable;
using strata::test::FakeBuffer;
using strata::test::FakeCupti;
using strata::test::hand_over;
using strata::test::next_record;
using strata::test::pushed_by_this_thread;
using strata::test::RequestForSubscriber;
using strata::test::state;

FakeCupti& the_fake = state().fake;

// A call of the Activity API: valid if we have subscribed and it matches the kind of subscription.
template <typename Body>
CUptiResult for_subscriber(bool names_subscriber, Body&& body) {
  if (!state().is_subscribed) ++the_fake.calls_without_subscription;
  if (state().is_shared != names_subscriber) {
    ++the_fake.calls_of_wrong_kind;
    return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
  }
  return body();
}

CUptiResult set_attribute(CUpti_ActivityAttribute attribute, const void* value) {
  if (attribute != CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER) return CUPTI_ERROR_INVALID_PARAMETER;
  the_fake.zeroed_buffers = *static_cast<const std::uint8_t*>(value) != 0;
  return CUPTI_SUCCESS;
}

CUptiResult push(std::uint64_t id) {
  pushed_by_this_thread().push_back(id);
  ++the_fake.pushes;
  return CUPTI_SUCCESS;
}

CUptiResult pop() {
  if (pushed_by_this_thread().empty()) return CUPTI_ERROR_QUEUE_EMPTY;
  pushed_by_this_thread().pop_back();
  ++the_fake.pops;
  return CUPTI_SUCCESS;
}

// As on a GPU: functions enabled singly are recorded once their kind is enabled.
CUptiResult enable_driver(CUpti_CallbackId function, std::uint8_t is_on) {
  if (function >= state().driver_functions.size()) return CUPTI_ERROR_INVALID_PARAMETER;
  state().driver_functions.set(function, is_on != 0);
  if (is_on == 0) ++the_fake.disabled_driver_functions;
  return CUPTI_SUCCESS;
}

// The names that tests use.
const char* name_of(CUpti_CallbackDomain domain, std::uint32_t function) {
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API) {
    switch (function) {
      case CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000:
        return "cudaLaunchKernel_v7000";
      case CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000:
        return "cudaGraphLaunch_v10000";
      default:
        return "cudaMalloc_v3020";
    }
  }
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return nullptr;
  switch (function) {
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
      return "cuLaunchKernel";
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
      return "cuLaunchKernelEx";
    case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
      return "cuLaunchCooperativeKernel";
    case CUPTI_DRIVER_TRACE_CBID_cuGraphLaunch:
      return "cuGraphLaunch";
    case CUPTI_DRIVER_TRACE_CBID_cuMemcpyDtoDAsync_v2:
      return "cuMemcpyDtoDAsync_v2";
    case CUPTI_DRIVER_TRACE_CBID_cuMemsetD8Async:
      return "cuMemsetD8Async";
    case CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent:
      return "cuCtxGetCurrent";
    default:
      return nullptr;
  }
}

}  // namespace

FAKE FakeCupti* fake_cupti() {
  if (the_fake.launch == nullptr) strata::test::reset();
  return &the_fake;
}

FAKE CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = the_fake.version;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetTimestamp(std::uint64_t* ns) {
  return for_subscriber(false, [&] {
    *ns = strata::test::fake_now();
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
  *text = result == CUPTI_ERROR_UNKNOWN ? "CUPTI_ERROR_UNKNOWN" : "CUPTI_ERROR_OF_ANOTHER_KIND";
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t function,
                                      const char** name) {
  *name = name_of(domain, function);
  return *name == nullptr ? CUPTI_ERROR_INVALID_PARAMETER : CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetContextId(CUcontext, std::uint32_t* context) {
  *context = 1;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetGraphNodeId(CUgraphNode node, std::uint64_t* number) {
  *number = reinterpret_cast<std::uint64_t>(node);
  return CUPTI_SUCCESS;
}

FAKE CUptiResult cuptiSubscribe_v2(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void*,
                                   CUpti_SubscriberParams* params) {
  struct Shared {
    CUpti_SubscriberParams known;
    std::uint8_t allows;
  };
  const bool wants_sharing =
      params->structSize > sizeof *params && reinterpret_cast<const Shared*>(params)->allows != 0;
  int result = the_fake.subscribe_result;
  if (wants_sharing) result = the_fake.allows_sharing ? 0 : 39;
  if (result == 0 && state().is_subscribed) result = 39;
  if (result != 0) {
    if (result == 39 && params->oldSubscriberName != nullptr)
      std::memcpy(params->oldSubscriberName, the_fake.holder.data(), the_fake.holder.size());
    return static_cast<CUptiResult>(result);
  }
  std::strncpy(the_fake.subscriber.data(), params->subscriberName, the_fake.subscriber.size() - 1);
  state().is_shared = wants_sharing;
  state().is_subscribed = true;
  state().callback = callback;
  ++the_fake.subscriptions;
  *handle = reinterpret_cast<CUpti_SubscriberHandle>(&the_fake);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) {
  return CUPTI_ERROR_INVALID_OPERATION;  // the broker passes its name where possible
}
FAKE CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  state().is_subscribed = false;
  state().is_shared = false;
  state().callback = nullptr;
  state().resources.reset();
  ++the_fake.unsubscriptions;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiEnableCallback(std::uint32_t is_on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                     CUpti_CallbackId event) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE) {
    ++the_fake.callbacks_at_calls;
    return CUPTI_SUCCESS;
  }
  state().resources.set(event, is_on != 0);
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
  std::vector<std::shared_ptr<FakeBuffer>> buffers;
  {
    const std::scoped_lock lock(state().mutex);
    buffers = state().buffers;
  }
  for (const std::shared_ptr<FakeBuffer>& buffer : buffers) {
    const std::scoped_lock lock(buffer->mutex);
    hand_over(*buffer, 0);
  }
  return CUPTI_SUCCESS;
}

FAKE CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                                CUpti_BuffersCallbackCompleteFunc complete_buffer) {
  return for_subscriber(false, [&] {
    const std::scoped_lock lock(state().mutex);
    state().request = request;
    state().complete = complete_buffer;
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
FAKE CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId function, std::uint8_t is_on) {
  return for_subscriber(false, [&] { return enable_driver(function, is_on); });
}
FAKE CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t bytes,
                                            CUpti_Activity** record) {
  return next_record(buffer, bytes, record);
}
FAKE CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* count) {
  return for_subscriber(false, [&] {
    *count = state().dropped.exchange(0) + std::exchange(the_fake.dropped, 0);
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

// The variants with a subscriber.
FAKE CUptiResult cuptiGetTimestamp_v2(CUpti_SubscriberHandle, std::uint64_t* ns) {
  return for_subscriber(true, [&] {
    *ns = strata::test::fake_now();
    return CUPTI_SUCCESS;
  });
}
FAKE CUptiResult cuptiActivityRegisterCallbacks_v2(CUpti_SubscriberHandle, RequestForSubscriber request,
                                                   CompleteForSubscriber complete_buffer) {
  return for_subscriber(true, [&] {
    const std::scoped_lock lock(state().mutex);
    state().shared_request = request;
    state().shared_complete = complete_buffer;
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
FAKE CUptiResult cuptiActivityEnableDriverApi_v2(CUpti_SubscriberHandle, CUpti_CallbackId function,
                                                 std::uint8_t is_on) {
  return for_subscriber(true, [&] { return enable_driver(function, is_on); });
}
FAKE CUptiResult cuptiActivityGetNextRecord_v2(CUpti_SubscriberHandle, std::uint8_t* buffer,
                                               std::size_t bytes, CUpti_Activity** record) {
  return next_record(buffer, bytes, record);
}
FAKE CUptiResult cuptiActivityGetNumDroppedRecords_v2(CUpti_SubscriberHandle, CUcontext, std::uint32_t,
                                                      std::size_t* count) {
  return for_subscriber(true, [&] {
    *count = state().dropped.exchange(0);
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

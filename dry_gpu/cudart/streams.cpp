// SPDX-License-Identifier: Apache-2.0
// Streams and events.
#include "dry_gpu/device/streams.hpp"

#include <algorithm>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/cupti/api_call.hpp"

using namespace strata::dry_gpu;

namespace {

constexpr int kGreatestPriority = -5;

// `body(machine, event)`, for an event at all.
template <typename Body>
cudaError_t call_with(cudaEvent_t event, Body&& body) {
  return call([&](Machine& machine, ThreadState&) {
    return event == nullptr ? cudaErrorInvalidResourceHandle : body(machine, *event);
  });
}

}  // namespace

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* result, unsigned flags, int priority) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (result == nullptr || (flags & ~unsigned{cudaStreamNonBlocking}) != 0) return cudaErrorInvalidValue;
    machine.used(thread.device);
    const int kept = priority > 0 ? 0 : priority < kGreatestPriority ? kGreatestPriority : priority;
    *result = machine.streams().create_stream(thread.device, flags, kept);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* result, unsigned flags) {
  return cudaStreamCreateWithPriority(result, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t* result) {
  return cudaStreamCreateWithPriority(result, 0, 0);
}

cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return call([&](Machine& machine, ThreadState&) { return machine.streams().destroy(handle); });
}

cudaError_t cudaStreamGetPriority(cudaStream_t handle, int* priority) {
  return call_on(handle, [&](Machine&, ThreadState&, CUstream_st& stream) {
    *priority = stream.priority;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t handle, unsigned* flags) {
  return call_on(handle, [&](Machine&, ThreadState&, CUstream_st& stream) {
    *flags = stream.flags;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t handle, unsigned long long* id) {
  return call_on(handle, [&](Machine&, ThreadState&, CUstream_st& stream) {
    *id = stream.id;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t handle, int* device) {
  return call_on(handle, [&](Machine&, ThreadState&, CUstream_st& stream) {
    *device = stream.device;
    return cudaSuccess;
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020);
  return recorded.answer(call_on(handle, [](Machine& machine, ThreadState&, CUstream_st& stream) {
    return machine.streams().synchronize(&stream);
  }));
}

cudaError_t cudaStreamQuery(cudaStream_t handle) {
  return call_on(handle, [](Machine& machine, ThreadState&, CUstream_st& stream) {
    return machine.streams().query(&stream);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t handle, cudaEvent_t event, unsigned flags) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaStreamWaitEvent_v3020);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    if (event == nullptr) return cudaErrorInvalidResourceHandle;
    return flags == cudaEventWaitExternal  ? machine.streams().wait_in_graph(&stream, event)
           : flags == cudaEventWaitDefault ? machine.streams().wait(&stream, event)
                                           : cudaErrorInvalidValue;
  }));
}

cudaError_t cudaLaunchHostFunc(cudaStream_t handle, cudaHostFn_t function, void* argument) {
  return call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    return machine.streams().submit(&stream, cudaGraphNodeTypeHost, [=] { function(argument); });
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* argument,
                                  unsigned) {
  return call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    if (machine.streams().capture_state(&stream).status != cudaStreamCaptureStatusNone)
      return cudaErrorStreamCaptureUnsupported;
    callback(handle, cudaSuccess, argument);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* result, unsigned flags) {
  return call([&](Machine& machine, ThreadState& thread) {
    if (result == nullptr) return cudaErrorInvalidValue;
    machine.used(thread.device);
    *result = machine.streams().create_event(thread.device, flags);
    return cudaSuccess;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* result) {
  return cudaEventCreateWithFlags(result, cudaEventDefault);
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](Machine& machine, ThreadState&) { return machine.streams().destroy(event); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t handle, unsigned flags) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaEventRecordWithFlags_v11010);
  return recorded.answer(call_on(handle, [&](Machine& machine, ThreadState&, CUstream_st& stream) {
    if (event == nullptr || event->device != stream.device) return cudaErrorInvalidResourceHandle;
    return flags == cudaEventRecordExternal  ? machine.streams().record_in_graph(event, &stream)
           : flags == cudaEventRecordDefault ? machine.streams().record(event, &stream)
                                             : cudaErrorInvalidValue;
  }));
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t handle) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaEventRecord_v3020);
  return recorded.answer(cudaEventRecordWithFlags(event, handle, 0));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaEventQuery_v3020);
  return recorded.answer(
      call_with(event, [](Machine& machine, CUevent_st& known) { return machine.streams().query(&known); }));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  ApiCall recorded(CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020);
  return recorded.answer(call_with(
      event, [](Machine& machine, CUevent_st& known) { return machine.streams().synchronize(&known); }));
}

// Without a modelled clock nothing is timed: every time difference is counted, and is the time from
// Streams::add_time, or this. On a card it is never zero, and programs divide by it; autotuners repeat a
// kernel until it has taken a tenth of a second, which would be a million launches of a very short one, and
// give up on a long one at once, unlike on a card.
constexpr std::int64_t kUnknownTimeNs = 100'000;

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t begin, cudaEvent_t end) {
  return call([&](Machine& machine, ThreadState&) {
    if (begin == nullptr || end == nullptr) return cudaErrorInvalidResourceHandle;
    Streams::Asked asked = machine.streams().elapsed(begin, end);
    if (asked.error != cudaSuccess) return asked.error;
    if (machine.clock() == nullptr) {
      machine.counts().unknown_times.add();
      if (asked.ns == 0 && begin != end) asked.ns = kUnknownTimeNs;
    }
    *milliseconds = static_cast<float>(static_cast<double>(asked.ns) / 1e6);
    return cudaSuccess;
  });
}

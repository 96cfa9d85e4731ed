// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/launch_functions.hpp"
#include "sources/cupti/records/records.hpp"

namespace strata::cupti {
namespace {

DecodedRecord on_host(std::uint32_t kind, std::uint32_t correlation, std::uint64_t start, std::uint64_t end) {
  DecodedRecord decoded;
  decoded.event.struct_size = sizeof decoded.event;
  decoded.event.kind = kind;
  decoded.event.device = {STRATA_DEVICE_CPU, 0};
  decoded.event.correlation = correlation;
  decoded.start = start;
  decoded.end = end;
  return decoded;
}

strata_device cuda_device(std::uint32_t index) {
  return {STRATA_DEVICE_CUDA, static_cast<std::int32_t>(index)};
}

std::uint32_t overhead_of(CUpti_ActivityOverheadKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER:
      return STRATA_OVERHEAD_COMPILER;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH:
      return STRATA_OVERHEAD_BUFFER_FLUSH;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION:
      return STRATA_OVERHEAD_INSTRUMENTATION;
    case CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE:
      return STRATA_OVERHEAD_RESOURCE;
    case CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING:
      return STRATA_OVERHEAD_MODULE_LOADING;
    case CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING:
      return STRATA_OVERHEAD_FUNCTION_LOADING;
    case CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL:
      return STRATA_OVERHEAD_COMMAND_BUFFER_FULL;
    case CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST:
      return STRATA_OVERHEAD_ACTIVITY_BUFFER;
    default:
      return STRATA_OVERHEAD_OTHER;
  }
}

std::uint32_t jit_of(CUpti_ActivityJitOperationType operation) {
  switch (operation) {
    case CUPTI_ACTIVITY_JIT_OPERATION_COMPILE:
      return STRATA_JIT_COMPILE;
    case CUPTI_ACTIVITY_JIT_OPERATION_CACHE_LOAD:
      return STRATA_JIT_CACHE_LOAD;
    case CUPTI_ACTIVITY_JIT_OPERATION_CACHE_STORE:
      return STRATA_JIT_CACHE_STORE;
    default:
      return 0;
  }
}

std::uint32_t pool_operation_of(CUpti_ActivityMemoryPoolOperationType operation) {
  switch (operation) {
    case CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_CREATED:
      return STRATA_DEVICE_MEMORY_POOL_MADE;
    case CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_DESTROYED:
      return STRATA_DEVICE_MEMORY_POOL_DESTROYED;
    case CUPTI_ACTIVITY_MEMORY_POOL_OPERATION_TYPE_TRIMMED:
      return STRATA_DEVICE_MEMORY_POOL_TRIMMED;
    default:
      return 0;
  }
}

}  // namespace

DecodedRecord decoded(const CUpti_ActivityAPI& call) {
  DecodedRecord decoded = on_host(STRATA_ACTIVITY_API, call.correlationId, call.start, call.end);
  decoded.event.detail = call.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? STRATA_API_RUNTIME : STRATA_API_DRIVER;
  if (launches(call.kind, call.cbid)) decoded.event.detail |= STRATA_API_LAUNCHES;
  decoded.event.thread = call.threadId;
  return decoded;
}

// Its types are numbered as ours.
DecodedRecord decoded(const CUpti_ActivitySynchronization2& wait) {
  static_assert(STRATA_SYNCHRONIZE_EVENT == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE);
  static_assert(STRATA_SYNCHRONIZE_STREAM_WAITS_EVENT ==
                CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT);
  static_assert(STRATA_SYNCHRONIZE_STREAM == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE);
  static_assert(STRATA_SYNCHRONIZE_CONTEXT == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE);
  DecodedRecord decoded = on_host(STRATA_ACTIVITY_SYNCHRONIZE, wait.correlationId, wait.start, wait.end);
  const auto type = static_cast<std::uint32_t>(wait.type);
  decoded.event.detail = type <= STRATA_SYNCHRONIZE_CONTEXT ? type : STRATA_SYNCHRONIZE_OTHER;
  decoded.event.context = wait.contextId;
  if (wait.streamId != static_cast<std::uint32_t>(CUPTI_SYNCHRONIZATION_INVALID_VALUE))
    decoded.event.stream = wait.streamId;
  return decoded;
}

DecodedRecord decoded(const CUpti_ActivityOverhead3& overhead) {
  DecodedRecord decoded =
      on_host(STRATA_ACTIVITY_OVERHEAD, overhead.correlationId, overhead.start, overhead.end);
  decoded.event.detail = overhead_of(overhead.overheadKind);
  if (overhead.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD)
    decoded.event.thread = overhead.objectId.pt.threadId;
  return decoded;
}

DecodedRecord decoded(const CUpti_ActivityMemory4& memory) {
  DecodedRecord decoded =
      on_host(STRATA_ACTIVITY_MEMORY, memory.correlationId, memory.timestamp, memory.timestamp);
  const bool is_host = memory.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED ||
                       memory.memoryKind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  decoded.event.device = is_host ? strata_device{STRATA_DEVICE_CUDA_HOST, 0} : cuda_device(memory.deviceId);
  decoded.event.detail = memory.memoryOperationType == CUPTI_ACTIVITY_MEMORY_OPERATION_TYPE_RELEASE
                             ? STRATA_DEVICE_MEMORY_RELEASE
                             : STRATA_DEVICE_MEMORY_ALLOCATE;
  if (memory.memoryPoolConfig.memoryPoolType != CUPTI_ACTIVITY_MEMORY_POOL_TYPE_INVALID)
    decoded.event.detail |= STRATA_DEVICE_MEMORY_POOL;
  decoded.event.context = memory.contextId;
  decoded.event.stream = memory.streamId;
  decoded.event.address = memory.address;
  decoded.event.bytes = memory.bytes;
  decoded.name = memory.name;
  return decoded;
}

DecodedRecord decoded(const CUpti_ActivityMemoryPool3& pool) {
  DecodedRecord decoded = on_host(STRATA_ACTIVITY_MEMORY, pool.correlationId, pool.timestamp, pool.timestamp);
  decoded.event.device = cuda_device(pool.deviceId);
  decoded.event.detail = pool_operation_of(pool.memoryPoolOperationType) | STRATA_DEVICE_MEMORY_POOL;
  decoded.event.address = pool.address;
  decoded.event.bytes = pool.size;
  return decoded;
}

DecodedRecord decoded(const CUpti_ActivityJit2& jit) {
  DecodedRecord decoded = on_host(STRATA_ACTIVITY_JIT, jit.correlationId, jit.start, jit.end);
  decoded.event.device = cuda_device(jit.deviceId);
  decoded.event.detail = jit_of(jit.jitOperationType);
  decoded.event.thread = jit.threadId;
  decoded.name = jit.cachePath;
  return decoded;
}

}  // namespace strata::cupti

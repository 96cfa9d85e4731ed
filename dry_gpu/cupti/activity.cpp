// SPDX-License-Identifier: Apache-2.0
// CUPTI's Activity API: which records a client wants, and how it gets them.
#include "dry_gpu/cupti/call.hpp"

using namespace strata::dry_gpu;

CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
  static Refused function{"cuptiActivityEnable"};
  return call_cupti(function, [&](Activities& records) {
    if (records.enable(kind)) return CUPTI_SUCCESS;
    refuse(function);  // CUPTI itself has most kinds
    return CUPTI_ERROR_INVALID_KIND;
  });
}

CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
  static Refused function{"cuptiActivityDisable"};
  return call_cupti(function, [&](Activities& records) {
    return records.disable(kind) ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_KIND;
  });
}

CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId api, std::uint8_t enable) {
  static Refused function{"cuptiActivityEnableRuntimeApi"};
  return call_cupti(function, [&](Activities& records) {
    records.enable_function(CUPTI_ACTIVITY_KIND_RUNTIME, api, enable != 0);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId api, std::uint8_t enable) {
  static Refused function{"cuptiActivityEnableDriverApi"};
  return call_cupti(function, [&](Activities& records) {
    records.enable_function(CUPTI_ACTIVITY_KIND_DRIVER, api, enable != 0);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
  static Refused function{"cuptiActivityRegisterCallbacks"};
  return call_cupti(function, [&](Activities& records) {
    if (request == nullptr || complete == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    records.use_buffers(request, complete);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc timestamp) {
  static Refused function{"cuptiActivityRegisterTimestampCallback"};
  return call_cupti(function, [&](Activities& records) {
    if (timestamp == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    records.use_timestamps(timestamp);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiGetTimestamp(std::uint64_t* timestamp) {
  static Refused function{"cuptiGetTimestamp"};
  return call_cupti(function, [&](Activities& records) {
    if (timestamp == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *timestamp = records.timestamp();
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityFlushAll(std::uint32_t flag) {
  static Refused function{"cuptiActivityFlushAll"};
  return call_cupti(function, [&](Activities& records) {
    records.flush((flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED) != 0);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityGetNextRecord(std::uint8_t* buffer, std::size_t valid_bytes,
                                       CUpti_Activity** record) {
  static Refused function{"cuptiActivityGetNextRecord"};
  return call_cupti(function, [&](Activities&) {
    if (buffer == nullptr || record == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    auto* const last = static_cast<std::uint8_t*>(static_cast<void*>(*record));
    std::uint8_t* const next = last == nullptr ? buffer : last + bytes_of((*record)->kind);
    if (next >= buffer + valid_bytes) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    auto* const found = static_cast<CUpti_Activity*>(static_cast<void*>(next));
    if (bytes_of(found->kind) == 0) return CUPTI_ERROR_INVALID_KIND;
    *record = found;
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* dropped) {
  static Refused function{"cuptiActivityGetNumDroppedRecords"};
  return call_cupti(function, [&](Activities& records) {
    if (dropped == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    *dropped = records.take_dropped();
    return CUPTI_SUCCESS;
  });
}

// Records have the system's numbers in any case.
CUptiResult cuptiSetThreadIdType(CUpti_ActivityThreadIdType type) {
  static Refused function{"cuptiSetThreadIdType"};
  return call_cupti(function, [&](Activities&) {
    if (type == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM) return CUPTI_SUCCESS;
    refuse(function);
    return CUPTI_ERROR_NOT_SUPPORTED;
  });
}

CUptiResult cuptiActivityPushExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t id) {
  static Refused function{"cuptiActivityPushExternalCorrelationId"};
  return call_cupti(function, [&](Activities&) {
    Activities::push_external(kind, id);
    return CUPTI_SUCCESS;
  });
}

CUptiResult cuptiActivityPopExternalCorrelationId(CUpti_ExternalCorrelationKind kind, std::uint64_t* last) {
  static Refused function{"cuptiActivityPopExternalCorrelationId"};
  return call_cupti(function, [&](Activities&) {
    return Activities::pop_external(kind, last) ? CUPTI_SUCCESS : CUPTI_ERROR_QUEUE_EMPTY;
  });
}

// How CUPTI uses device memory for its own buffers, and who owns the buffers: here there is one set for all.
CUptiResult cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, std::size_t* bytes, void* value) {
  static Refused function{"cuptiActivitySetAttribute"};
  return call_cupti(function, [&](Activities&) {
    if (bytes == nullptr || value == nullptr) return CUPTI_ERROR_INVALID_PARAMETER;
    switch (attribute) {
      case CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE:
      case CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_POOL_LIMIT:
        return *bytes >= sizeof(std::size_t) ? CUPTI_SUCCESS : CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT;
      case CUPTI_ACTIVITY_ATTR_PER_THREAD_ACTIVITY_BUFFER:
      case CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER:  // nothing relies on zeros here
        return CUPTI_SUCCESS;
      default:
        return CUPTI_ERROR_INVALID_PARAMETER;
    }
  });
}

CUptiResult cuptiFinalize() {
  static Refused function{"cuptiFinalize"};
  return call_cupti(function, [&](Activities& records) {
    records.flush(true);
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
          CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
          CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION}) {
      records.disable(kind);
    }
    return CUPTI_SUCCESS;
  });
}

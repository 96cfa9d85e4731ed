// SPDX-License-Identifier: Apache-2.0
// The functions of CUPTI 13.3 and later with a subscriber argument, which allow several tools to record in
// one process. Strata's build headers do not have them: the types are those of 13.3.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "sources/cupti/api/cupti_api.hpp"

namespace strata::cupti {

// The first version in which several subscribers are not a preview feature.
inline constexpr std::uint32_t kFirstSharedVersion = 130300;

// CUpti_SubscriberParams of 13.2, independent of the headers used for the build.
struct SubscriberParams {
  std::size_t struct_size;
  const char* name;
  char* holder;  // who already has CUPTI, if it cannot be shared
  std::size_t holder_bytes;
  std::uint8_t allow_multiple_subscribers;  // since 13.2
  std::uint8_t padding[7];
};
inline constexpr std::size_t kAloneParamsBytes = offsetof(SubscriberParams, allow_multiple_subscribers);
static_assert(offsetof(SubscriberParams, holder_bytes) ==
              offsetof(CUpti_SubscriberParams, oldSubscriberSize));

// The functions passed here identify the owner of the buffer: us, because every subscriber has its own
// buffers.
using RequestForSubscriber = void(CUPTIAPI*)(std::uint8_t** buffer, std::size_t* bytes,
                                             std::size_t* most_records, void* info);
using CompleteForSubscriber = void(CUPTIAPI*)(std::uint8_t* buffer, std::size_t bytes,
                                              std::size_t valid_bytes, void* info);

#define STRATA_CUPTI_OF_SUBSCRIBER(FUNCTION)                                                          \
  FUNCTION(cuptiGetTimestamp_v2, (CUpti_SubscriberHandle, std::uint64_t*))                            \
  FUNCTION(cuptiActivityEnable_v2, (CUpti_SubscriberHandle, CUpti_ActivityKind, void*))               \
  FUNCTION(cuptiActivityDisable_v2, (CUpti_SubscriberHandle, CUpti_ActivityKind, void*))              \
  FUNCTION(cuptiActivityRegisterCallbacks_v2,                                                         \
           (CUpti_SubscriberHandle, RequestForSubscriber, CompleteForSubscriber))                     \
  FUNCTION(cuptiActivityGetNextRecord_v2,                                                             \
           (CUpti_SubscriberHandle, std::uint8_t*, std::size_t, CUpti_Activity**))                    \
  FUNCTION(cuptiActivityGetNumDroppedRecords_v2,                                                      \
           (CUpti_SubscriberHandle, CUcontext, std::uint32_t, std::size_t*))                          \
  FUNCTION(cuptiActivitySetAttribute_v2,                                                              \
           (CUpti_SubscriberHandle, CUpti_ActivityAttribute, std::size_t*, void*))                    \
  FUNCTION(cuptiActivityPushExternalCorrelationId_v2,                                                 \
           (CUpti_SubscriberHandle, CUpti_ExternalCorrelationKind, std::uint64_t))                    \
  FUNCTION(cuptiActivityPopExternalCorrelationId_v2,                                                  \
           (CUpti_SubscriberHandle, CUpti_ExternalCorrelationKind, std::uint64_t*))                   \
  FUNCTION(cuptiActivityEnableDriverApi_v2, (CUpti_SubscriberHandle, CUpti_CallbackId, std::uint8_t)) \
  FUNCTION(cuptiActivityEnableRuntimeApi_v2, (CUpti_SubscriberHandle, CUpti_CallbackId, std::uint8_t))

struct SubscriberFunctions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declares the name, with types
#define STRATA_CUPTI_MEMBER(name, arguments) CUptiResult(CUPTIAPI* name) arguments = nullptr;
  STRATA_CUPTI_OF_SUBSCRIBER(STRATA_CUPTI_MEMBER)
#undef STRATA_CUPTI_MEMBER
};

// Empty if the library lacks one of them: they must not be mixed with the functions without a subscriber.
std::optional<SubscriberFunctions> find_subscriber_functions(void* library);

}  // namespace strata::cupti

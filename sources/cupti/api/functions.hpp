// SPDX-License-Identifier: Apache-2.0
// CUPTI's functions as found in one libcupti, with their own types. The library is never linked: a program
// that does not trace its device must not load it, and one that does already has its own copy.
#pragma once

#include <string>

#include "sources/cupti/api/cupti_api.hpp"

namespace strata::cupti {

// Recording is impossible without any one of these.
#define STRATA_CUPTI_REQUIRED(FUNCTION)            \
  FUNCTION(cuptiGetVersion)                        \
  FUNCTION(cuptiGetTimestamp)                      \
  FUNCTION(cuptiSubscribe)                         \
  FUNCTION(cuptiUnsubscribe)                       \
  FUNCTION(cuptiActivityRegisterCallbacks)         \
  FUNCTION(cuptiActivityEnable)                    \
  FUNCTION(cuptiActivityDisable)                   \
  FUNCTION(cuptiActivityFlushAll)                  \
  FUNCTION(cuptiActivityGetNextRecord)             \
  FUNCTION(cuptiActivityGetNumDroppedRecords)      \
  FUNCTION(cuptiActivitySetAttribute)              \
  FUNCTION(cuptiActivityPushExternalCorrelationId) \
  FUNCTION(cuptiActivityPopExternalCorrelationId)

// Null if the library does not have the function.
#define STRATA_CUPTI_OPTIONAL(FUNCTION)   \
  FUNCTION(cuptiSubscribe_v2)             \
  FUNCTION(cuptiSetThreadIdType)          \
  FUNCTION(cuptiActivityEnableDriverApi)  \
  FUNCTION(cuptiActivityEnableRuntimeApi) \
  FUNCTION(cuptiEnableCallback)           \
  FUNCTION(cuptiGetContextId)             \
  FUNCTION(cuptiGetGraphNodeId)           \
  FUNCTION(cuptiGetCallbackName)          \
  FUNCTION(cuptiGetResultString)          \
  FUNCTION(cuptiFinalize)

struct Functions {
// NOLINTNEXTLINE(bugprone-macro-parentheses): declares the name
#define STRATA_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
  STRATA_CUPTI_REQUIRED(STRATA_CUPTI_MEMBER)
  STRATA_CUPTI_OPTIONAL(STRATA_CUPTI_MEMBER)
#undef STRATA_CUPTI_MEMBER
};

// Throws std::runtime_error that names the required functions missing from `library`, a dlopen handle.
Functions find_functions(void* library);

// "39 (CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)"
std::string text_of(const Functions& functions, CUptiResult result);

}  // namespace strata::cupti

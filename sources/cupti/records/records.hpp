// SPDX-License-Identifier: Apache-2.0
// What one of CUPTI's records says, in the words of strata/ext/activity.h. Times stay on CUPTI's clock, and
// names are CUPTI's own memory, valid while the record's buffer is.
//
// CUPTI appends to its records from release to release, so that only what a record begins with is read: up to
// `kRead` bytes of it. From one record to the next the loaded library steps, which knows their sizes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sources/cupti/subscription/cupti_api.hpp"
#include "strata/ext/activity.h"

namespace strata::cupti {

struct DecodedRecord {
  strata_activity_event event{};  // without its name, its times and what it was called under
  std::uint64_t start = 0, end = 0;
  const char* name = nullptr;
};

// Of each record that is read: how much of it. Larger than that it may be, smaller it is cut off.
template <typename Record>
inline constexpr std::size_t kRead = 0;

#define STRATA_CUPTI_READS(record, last_field) \
  template <>                                  \
  inline constexpr std::size_t kRead<record> = offsetof(record, last_field) + sizeof(record::last_field);

// Device
STRATA_CUPTI_READS(CUpti_ActivityKernel10, graphId)
STRATA_CUPTI_READS(CUpti_ActivityMemcpy6, graphId)
STRATA_CUPTI_READS(CUpti_ActivityMemcpyPtoP4, graphId)
STRATA_CUPTI_READS(CUpti_ActivityMemset4, graphId)
STRATA_CUPTI_READS(CUpti_ActivityGraphTrace2, streamId)
DecodedRecord decoded(const CUpti_ActivityKernel10& kernel);
DecodedRecord decoded(const CUpti_ActivityMemcpy6& copy);
DecodedRecord decoded(const CUpti_ActivityMemcpyPtoP4& copy);
DecodedRecord decoded(const CUpti_ActivityMemset4& set);
DecodedRecord decoded(const CUpti_ActivityGraphTrace2& graph);

// Host. A call's name is to be looked up by its number.
STRATA_CUPTI_READS(CUpti_ActivityAPI, returnValue)
STRATA_CUPTI_READS(CUpti_ActivitySynchronization2, streamId)
STRATA_CUPTI_READS(CUpti_ActivityOverhead3, overheadData)
STRATA_CUPTI_READS(CUpti_ActivityMemory4, memoryPoolConfig)
STRATA_CUPTI_READS(CUpti_ActivityMemoryPool3, timestamp)
STRATA_CUPTI_READS(CUpti_ActivityJit2, threadId)
DecodedRecord decoded(const CUpti_ActivityAPI& call);
DecodedRecord decoded(const CUpti_ActivitySynchronization2& wait);
DecodedRecord decoded(const CUpti_ActivityOverhead3& overhead);
DecodedRecord decoded(const CUpti_ActivityMemory4& memory);
DecodedRecord decoded(const CUpti_ActivityMemoryPool3& pool);
DecodedRecord decoded(const CUpti_ActivityJit2& jit);

// Read, but told of with others.
STRATA_CUPTI_READS(CUpti_ActivityExternalCorrelation, correlationId)
STRATA_CUPTI_READS(CUpti_ActivityContext3, deviceId)

#undef STRATA_CUPTI_READS

}  // namespace strata::cupti

// SPDX-License-Identifier: Apache-2.0
// Converts a CUPTI record to the terms of strata/ext/activity.h. Times stay on CUPTI's clock. Names are in
// CUPTI's memory, valid as long as the record's buffer.
//
// CUPTI appends fields to its records from release to release, so only the first `kRead` bytes of a record
// are read. The loaded library, which knows the sizes, steps from one record to the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sources/cupti/api/cupti_api.hpp"
#include "strata/ext/activity.h"

namespace strata::cupti {

struct DecodedRecord {
  strata_activity_event event{};  // without its name, its times and its origin
  std::uint64_t start = 0, end = 0;
  const char* name = nullptr;
};

// How many bytes of each record type are read. A record may be larger; if it is smaller, it is truncated.
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

// Host. The name of a call must be looked up by its number.
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

// Read, but reported as part of other records.
STRATA_CUPTI_READS(CUpti_ActivityExternalCorrelation, correlationId)
STRATA_CUPTI_READS(CUpti_ActivityContext3, deviceId)

#undef STRATA_CUPTI_READS

}  // namespace strata::cupti

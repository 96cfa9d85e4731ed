// SPDX-License-Identifier: Apache-2.0
// NVTX counters, if the headers have them: otherwise a counter cannot be registered.
#pragma once

#include <nvtx3/nvToolsExt.h>
#if __has_include(<nvtx3/nvToolsExtCounters.h>) && __has_include(<nvtx3/nvToolsExtSemanticsCounters.h>)
#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#define STRATA_NVTX_COUNTERS 1
#else
#define STRATA_NVTX_COUNTERS 0
#endif

#include <cstdint>

namespace strata::nvtx_markers {

inline constexpr bool kBuiltWithCounters = STRATA_NVTX_COUNTERS != 0;

// 0: the tool does not support counters. In bytes; a value holds until the next sample.
inline std::uint64_t register_byte_counter([[maybe_unused]] nvtxDomainHandle_t domain,
                                           [[maybe_unused]] const char* name,
                                           [[maybe_unused]] const char* description) noexcept {
#if STRATA_NVTX_COUNTERS
  nvtxSemanticsCounter_t semantics{};
  semantics.header.structSize = sizeof semantics;
  semantics.header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
  semantics.header.version = NVTX_COUNTER_SEMANTIC_VERSION;
  semantics.flags = NVTX_COUNTER_FLAG_VALUETYPE_ABSOLUTE | NVTX_COUNTER_FLAG_INTERPOLATION_UNTIL_NEXT;
  semantics.unit = "B";
  semantics.unitScaleNumerator = 1;
  semantics.unitScaleDenominator = 1;
  semantics.limitType = NVTX_COUNTER_LIMIT_UNDEFINED;
  nvtxCounterAttr_t counter{};
  counter.structSize = sizeof counter;
  counter.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
  counter.name = name;
  counter.description = description;
  counter.scopeId = NVTX_SCOPE_CURRENT_SW_PROCESS;
  counter.semantics = &semantics.header;
  counter.counterId = NVTX_COUNTER_ID_NONE;
  return nvtxCounterRegister(domain, &counter);
#else
  return 0;
#endif
}

inline void sample_counter([[maybe_unused]] nvtxDomainHandle_t domain, [[maybe_unused]] std::uint64_t counter,
                           [[maybe_unused]] std::uint64_t bytes) noexcept {
#if STRATA_NVTX_COUNTERS
  nvtxCounterSampleInt64(domain, counter, static_cast<std::int64_t>(bytes));
#endif
}

}  // namespace strata::nvtx_markers

// SPDX-License-Identifier: Apache-2.0
// Activity records in CUPTI's own structures. Their times are on CLOCK_MONOTONIC until they are delivered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "dry_gpu/clock/work.hpp"
#include "dry_gpu/cupti/cupti_api.hpp"
#include "dry_gpu/device/graph_nodes.hpp"

namespace strata::dry_gpu {

using Record = std::variant<CUpti_ActivityKernel10, CUpti_ActivityMemcpy6, CUpti_ActivityMemset4,
                            CUpti_ActivityAPI, CUpti_ActivityExternalCorrelation>;

// `span` minus `offset_ns` is on the modelled clock.
Record record_of(const Work& work, const Span& span, const CUstream_st& stream, std::uint32_t correlation,
                 const LaunchedNode& node);

// The kind with which cuptiActivityEnable requests it.
CUpti_ActivityKind kind_of(const Work& work);

// The distance to the next record in a buffer; 0 for a kind that is not written here.
std::size_t bytes_of(CUpti_ActivityKind kind);

// The end of the recorded activity; empty if it has no times.
std::optional<std::uint64_t> end_of(const Record& record);
// Converts its times to another clock with `convert(time)`.
template <typename Convert>
void convert_times(Record& record, const Convert& convert) {
  std::visit(
      [&](auto& activity) {
        if constexpr (requires { activity.start; }) {
          activity.start = convert(activity.start);
          activity.end = convert(activity.end);
        }
      },
      record);
}

// The record's bytes in a buffer.
std::span<const std::byte> bytes_of(const Record& record);

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// Activity records in CUPTI's own structures. Their times are CLOCK_MONOTONIC's until they are delivered.
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

// `span` less `offset_ns` is on the modelled clock.
Record record_of(const Work& work, const Span& span, const CUstream_st& stream, std::uint32_t correlation,
                 const LaunchedNode& node);

// Which cuptiActivityEnable asks for it.
CUpti_ActivityKind kind_of(const Work& work);

// From one record of a buffer to the next; 0: of no kind that is written here.
std::size_t bytes_of(CUpti_ActivityKind kind);

// When what it tells of is over; nothing: it has no times.
std::optional<std::uint64_t> end_of(const Record& record);
// From one clock to another: `convert(time)`.
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

// The record as it lies in a buffer.
std::span<const std::byte> bytes_of(const Record& record);

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
#include "sources/cupti/records/records.hpp"

namespace strata::cupti {
namespace {

template <typename Record>
DecodedRecord on_device(std::uint32_t kind, const Record& record) {
  DecodedRecord decoded;
  decoded.event.struct_size = sizeof decoded.event;
  decoded.event.kind = kind;
  decoded.event.device = {STRATA_DEVICE_CUDA, static_cast<std::int32_t>(record.deviceId)};
  decoded.event.context = record.contextId;
  decoded.event.stream = record.streamId;
  decoded.event.correlation = record.correlationId;
  decoded.event.graph = record.graphId;
  decoded.start = record.start;
  decoded.end = record.end;
  return decoded;
}

template <typename Record>
DecodedRecord of_node(std::uint32_t kind, const Record& record) {
  DecodedRecord decoded = on_device(kind, record);
  decoded.event.graph_node = record.graphNodeId;
  return decoded;
}

std::uint32_t direction_of(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return STRATA_COPY_HOST_TO_DEVICE;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return STRATA_COPY_DEVICE_TO_HOST;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA:
      return STRATA_COPY_DEVICE_TO_DEVICE;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return STRATA_COPY_HOST_TO_HOST;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return STRATA_COPY_PEER_TO_PEER;
    default:
      return STRATA_COPY_OTHER;
  }
}

template <typename Record>
DecodedRecord copied(const Record& copy) {
  DecodedRecord decoded = of_node(STRATA_ACTIVITY_COPY, copy);
  decoded.event.bytes = copy.bytes;
  decoded.event.detail = direction_of(copy.copyKind);
  const auto is_pageable = [](std::uint8_t kind) { return kind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE; };
  if (is_pageable(copy.srcKind) || is_pageable(copy.dstKind)) decoded.event.detail |= STRATA_COPY_PAGEABLE;
  return decoded;
}

}  // namespace

DecodedRecord decoded(const CUpti_ActivityKernel10& kernel) {
  DecodedRecord decoded = of_node(STRATA_ACTIVITY_KERNEL, kernel);
  decoded.name = kernel.name;
  const auto unsigned_of = [](std::int32_t value) { return static_cast<std::uint32_t>(value); };
  strata_activity_event& event = decoded.event;
  event.grid[0] = unsigned_of(kernel.gridX);
  event.grid[1] = unsigned_of(kernel.gridY);
  event.grid[2] = unsigned_of(kernel.gridZ);
  event.block[0] = unsigned_of(kernel.blockX);
  event.block[1] = unsigned_of(kernel.blockY);
  event.block[2] = unsigned_of(kernel.blockZ);
  event.registers = kernel.registersPerThread;
  event.static_shared_bytes = unsigned_of(kernel.staticSharedMemory);
  event.dynamic_shared_bytes = unsigned_of(kernel.dynamicSharedMemory);
  return decoded;
}

DecodedRecord decoded(const CUpti_ActivityMemcpy6& copy) {
  return copied(copy);
}

DecodedRecord decoded(const CUpti_ActivityMemcpyPtoP4& copy) {
  return copied(copy);
}

DecodedRecord decoded(const CUpti_ActivityMemset4& set) {
  DecodedRecord decoded = of_node(STRATA_ACTIVITY_SET, set);
  decoded.event.bytes = set.bytes;
  return decoded;
}

DecodedRecord decoded(const CUpti_ActivityGraphTrace2& graph) {
  return on_device(STRATA_ACTIVITY_GRAPH, graph);
}

}  // namespace strata::cupti

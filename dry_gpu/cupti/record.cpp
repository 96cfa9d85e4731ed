// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/cupti/record.hpp"

namespace strata::dry_gpu {
namespace {

constexpr std::uint16_t kRegisters = 32;  // as reported by cudaFuncGetAttributes for every kernel

CUpti_ActivityMemoryKind memory_kind(cudaMemoryType type) {
  switch (type) {
    case cudaMemoryTypeHost:
      return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
    case cudaMemoryTypeDevice:
      return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
    case cudaMemoryTypeManaged:
      return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
    default:
      return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  }
}

CUpti_ActivityMemcpyKind copy_kind(const CopyWork& copy) {
  const bool from_device = copy.source == cudaMemoryTypeDevice;
  const bool to_device = copy.target == cudaMemoryTypeDevice;
  if (from_device && to_device) {
    return copy.source_device == copy.target_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOD
                                                    : CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  }
  if (to_device) return CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  return from_device ? CUPTI_ACTIVITY_MEMCPY_KIND_DTOH : CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
}

// The common fields of all records of device work.
template <typename Activity>
Activity on_device(CUpti_ActivityKind kind, const Span& span, const CUstream_st& stream,
                   std::uint32_t correlation, const LaunchedNode& node) {
  Activity activity{};
  activity.kind = kind;
  activity.start = static_cast<std::uint64_t>(span.begin_ns);
  activity.end = static_cast<std::uint64_t>(span.end_ns);
  activity.deviceId = static_cast<std::uint32_t>(stream.device);
  activity.contextId = static_cast<std::uint32_t>(stream.device) + 1;
  activity.streamId = static_cast<std::uint32_t>(stream.id);
  activity.correlationId = correlation;
  activity.graphId = node.graph;
  activity.graphNodeId = node.node;
  return activity;
}

struct MakeRecord {
  const Span& span;
  const CUstream_st& stream;
  std::uint32_t correlation;
  const LaunchedNode& node;

  Record operator()(const KernelWork& kernel) const {
    auto activity = on_device<CUpti_ActivityKernel10>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, span, stream,
                                                      correlation, node);
    activity.registersPerThread = kRegisters;
    activity.gridX = static_cast<std::int32_t>(kernel.grid.x);
    activity.gridY = static_cast<std::int32_t>(kernel.grid.y);
    activity.gridZ = static_cast<std::int32_t>(kernel.grid.z);
    activity.blockX = static_cast<std::int32_t>(kernel.block.x);
    activity.blockY = static_cast<std::int32_t>(kernel.block.y);
    activity.blockZ = static_cast<std::int32_t>(kernel.block.z);
    activity.dynamicSharedMemory = static_cast<std::int32_t>(kernel.shared_bytes);
    activity.name = kernel.name;
    return activity;
  }

  Record operator()(const CopyWork& copy) const {
    auto activity =
        on_device<CUpti_ActivityMemcpy6>(CUPTI_ACTIVITY_KIND_MEMCPY, span, stream, correlation, node);
    activity.copyKind = static_cast<std::uint8_t>(copy_kind(copy));
    activity.srcKind = static_cast<std::uint8_t>(memory_kind(copy.source));
    activity.dstKind = static_cast<std::uint8_t>(memory_kind(copy.target));
    activity.bytes = copy.bytes;
    activity.copyCount = 1;
    return activity;
  }

  Record operator()(const FillWork& fill) const {
    auto activity =
        on_device<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET, span, stream, correlation, node);
    activity.value = static_cast<std::uint32_t>(fill.value);
    activity.bytes = fill.bytes;
    activity.memoryKind = static_cast<std::uint16_t>(memory_kind(fill.target));
    return activity;
  }
};

}  // namespace

Record record_of(const Work& work, const Span& span, const CUstream_st& stream, std::uint32_t correlation,
                 const LaunchedNode& node) {
  return std::visit(MakeRecord{span, stream, correlation, node}, work.what);
}

CUpti_ActivityKind kind_of(const Work& work) {
  if (std::holds_alternative<CopyWork>(work.what)) return CUPTI_ACTIVITY_KIND_MEMCPY;
  if (std::holds_alternative<FillWork>(work.what)) return CUPTI_ACTIVITY_KIND_MEMSET;
  return CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
}

std::size_t bytes_of(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
      return sizeof(CUpti_ActivityExternalCorrelation);
    default:
      return 0;
  }
}

std::optional<std::uint64_t> end_of(const Record& record) {
  return std::visit(
      [](const auto& activity) -> std::optional<std::uint64_t> {
        if constexpr (requires { activity.end; }) {
          return activity.end;
        } else {
          return std::nullopt;
        }
      },
      record);
}

std::span<const std::byte> bytes_of(const Record& record) {
  return std::visit([](const auto& activity) { return std::as_bytes(std::span(&activity, 1)); }, record);
}

}  // namespace strata::dry_gpu

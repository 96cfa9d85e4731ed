// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/copies.hpp"

#include <cstring>
#include <optional>
#include <variant>

#include "dry_gpu/device/unknown_reads.hpp"

namespace strata::dry_gpu {
namespace {

enum class Side { kHost, kDevice, kNowhere };

Side side_of(const Machine& machine, const void* pointer, std::size_t bytes) {
  const Address address = address_of(pointer);
  if (!machine.is_device_address(address)) return pointer == nullptr ? Side::kNowhere : Side::kHost;
  const bool is_there = machine.find(address) && machine.find(address + bytes - 1);
  return is_there ? Side::kDevice : Side::kNowhere;
}

bool is_allowed(cudaMemcpyKind kind, Side target, Side source) {
  if (target == Side::kNowhere || source == Side::kNowhere) return false;
  switch (kind) {
    case cudaMemcpyHostToHost:
      return target == Side::kHost && source == Side::kHost;
    // Host memory that a device may use has one address for both.
    case cudaMemcpyHostToDevice:
      return source == Side::kHost;
    case cudaMemcpyDeviceToHost:
      return target == Side::kHost;
    case cudaMemcpyDeviceToDevice:
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

struct Memory {
  cudaMemoryType type;
  int device;
};

Memory place_of(const Machine& machine, const void* pointer) {
  if (const auto place = machine.find(address_of(pointer))) return {cudaMemoryTypeDevice, place->device};
  const auto block = machine.host_memory().find(address_of(pointer));
  if (!block) return {cudaMemoryTypeUnregistered, 0};
  return {block->managed ? cudaMemoryTypeManaged : cudaMemoryTypeHost, block->device};
}

// Nothing: there is no modelled clock.
std::optional<Work> copy_work(Machine& machine, const void* target, const void* source, const Rows& rows) {
  const Clock* const clock = machine.clock();
  if (clock == nullptr) return std::nullopt;
  const Memory from = place_of(machine, source);
  const Memory to = place_of(machine, target);
  const bool is_on_devices = from.type == cudaMemoryTypeDevice && to.type == cudaMemoryTypeDevice;
  const Route route = !is_on_devices             ? Route::kHost
                      : from.device == to.device ? Route::kWithinDevice
                                                 : Route::kPeer;
  const std::size_t bytes = rows.width * rows.height;
  return Work{clock->roofline().copy(static_cast<double>(bytes), route),
              CopyWork{from.type, to.type, from.device, to.device, bytes}};
}

// The host waits for what comes to memory that can be paged out, as CUDA has it.
void take_time(Clock& clock, CUstream_st& stream, const Work& work) {
  const Span span = clock.run(stream, work);
  const auto& copy = std::get<CopyWork>(work.what);
  if (copy.source == cudaMemoryTypeDevice && copy.target == cudaMemoryTypeUnregistered)
    clock.wait_until(span.end_ns);
}

// One row of a copy, after both sides were checked. Returns how many bytes reached the host unknown.
std::uint64_t copy_row(Contents& contents, Side to, std::byte* target, Side from, const std::byte* source,
                       std::size_t bytes) {
  if (to == Side::kHost && from == Side::kHost) {
    std::memmove(target, source, bytes);
  } else if (to == Side::kHost) {
    return contents.read(address_of(source), {target, bytes});
  } else if (from == Side::kHost) {
    contents.keep(address_of(target), {source, bytes});
  } else {
    contents.copy(address_of(target), address_of(source), bytes);
  }
  return 0;
}

// Contiguous rows are merged into one.
Rows joined(const Rows& rows) {
  if (rows.target_pitch != rows.width || rows.source_pitch != rows.width) return rows;
  const std::size_t bytes = rows.width * rows.height;
  return {bytes, 1, bytes, bytes};
}

}  // namespace

cudaError_t copy(Machine& machine, CUstream_st& stream, void* target, const void* source, std::size_t bytes,
                 cudaMemcpyKind kind) {
  return copy_rows(machine, stream, target, source, {bytes, 1, bytes, bytes}, kind);
}

cudaError_t copy_rows(Machine& machine, CUstream_st& stream, void* target, const void* source,
                      const Rows& rows, cudaMemcpyKind kind) {
  if (rows.width == 0 || rows.height == 0) return cudaSuccess;
  if (rows.height > 1 && (rows.target_pitch < rows.width || rows.source_pitch < rows.width))
    return cudaErrorInvalidValue;
  const Side to = side_of(machine, target, (rows.height - 1) * rows.target_pitch + rows.width);
  const Side from = side_of(machine, source, (rows.height - 1) * rows.source_pitch + rows.width);
  if (!is_allowed(kind, to, from)) return cudaErrorInvalidValue;

  const std::optional<Work> work = copy_work(machine, target, source, rows);
  return machine.streams().submit(
      &stream, cudaGraphNodeTypeMemcpy, [=, &machine, all = joined(rows)](CUstream_st& on) {
        if (work) take_time(*machine.clock(), on, *work);
        std::uint64_t unknown_bytes = 0;
        for (std::size_t row = 0; row < all.height; ++row) {
          unknown_bytes +=
              copy_row(machine.contents(), to, static_cast<std::byte*>(target) + row * all.target_pitch, from,
                       static_cast<const std::byte*>(source) + row * all.source_pitch, all.width);
        }
        if (unknown_bytes == 0) return;
        if (all.height == 1 && unknown_bytes == all.width) {
          read_unknown(machine, {static_cast<std::byte*>(target), all.width});
        } else {
          count_unknown_read(machine, unknown_bytes);
        }
      });
}

cudaError_t fill(Machine& machine, CUstream_st& stream, void* target, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  const Side side = side_of(machine, target, bytes);
  if (side == Side::kNowhere) return cudaErrorInvalidValue;
  std::optional<Work> work;
  if (const Clock* const clock = machine.clock()) {
    work = Work{clock->roofline().traffic(Model::kFill, static_cast<double>(bytes)),
                FillWork{place_of(machine, target).type, value, bytes}};
  }
  return machine.streams().submit(&stream, cudaGraphNodeTypeMemset, [=, &machine](CUstream_st& on) {
    if (work) machine.clock()->run(on, *work);
    if (side == Side::kHost) {
      std::memset(target, value, bytes);
    } else {
      machine.contents().fill(address_of(target), bytes, static_cast<std::byte>(value));
    }
  });
}

}  // namespace strata::dry_gpu

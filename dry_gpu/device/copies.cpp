#include "dry_gpu/device/copies.hpp"

#include <cstring>

namespace strata::dry_gpu {
namespace {

enum class Side { kHost, kDevice, kNowhere };

Address address_of(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}

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

  return machine.streams().submit(&stream, cudaGraphNodeTypeMemcpy, [=, &machine] {
    if (to == Side::kDevice) return;
    auto* target_row = static_cast<std::byte*>(target);
    const auto* source_row = static_cast<const std::byte*>(source);
    for (std::size_t row = 0; row < rows.height; ++row) {
      if (from == Side::kHost) {
        std::memmove(target_row, source_row, rows.width);
        source_row += rows.source_pitch;
      } else {
        std::memset(target_row, 0, rows.width);
      }
      target_row += rows.target_pitch;
    }
    if (from == Side::kHost) return;
    machine.counts().unknown_reads.add();
    machine.counts().unknown_bytes.add(rows.width * rows.height);
  });
}

cudaError_t fill(Machine& machine, CUstream_st& stream, void* target, int value, std::size_t bytes) {
  if (bytes == 0) return cudaSuccess;
  const Side side = side_of(machine, target, bytes);
  if (side == Side::kNowhere) return cudaErrorInvalidValue;
  return machine.streams().submit(&stream, cudaGraphNodeTypeMemset, [=] {
    if (side == Side::kHost) std::memset(target, value, bytes);
  });
}

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/nccl/transfers.hpp"

#include <string>

#include "dry_gpu/nccl/buffers.hpp"
#include "dry_gpu/nccl/groups.hpp"

namespace strata::dry_gpu {
namespace {

// 0: there is no such type.
std::uint64_t bytes_of(ncclDataType_t type) {
  switch (type) {
    case ncclInt8:
    case ncclUint8:
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
      return 1;
    case ncclFloat16:
    case ncclBfloat16:
      return 2;
    case ncclInt32:
    case ncclUint32:
    case ncclFloat32:
      return 4;
    case ncclInt64:
    case ncclUint64:
    case ncclFloat64:
      return 8;
    case ncclNumTypes:
      break;
  }
  return 0;
}

bool reduces(TransferKind kind) {
  return kind == TransferKind::kAllReduce || kind == TransferKind::kReduce ||
         kind == TransferKind::kReduceScatter;
}

// How many ranks' parts this rank's buffers hold.
struct Parts {
  std::uint64_t send, receive;
};

Parts parts_of(TransferKind kind, bool is_root, std::uint64_t ranks) {
  switch (kind) {
    case TransferKind::kAllReduce:
      return {1, 1};
    case TransferKind::kReduce:
      return {1, is_root ? 1U : 0U};
    case TransferKind::kBroadcast:
      return {is_root ? 1U : 0U, 1};
    case TransferKind::kAllGather:
      return {1, ranks};
    case TransferKind::kReduceScatter:
      return {ranks, 1};
    case TransferKind::kAllToAll:
      return {ranks, ranks};
    case TransferKind::kGather:
      return {1, is_root ? ranks : 0};
    case TransferKind::kScatter:
      return {is_root ? ranks : 0, 1};
    case TransferKind::kSend:
      return {1, 0};
    case TransferKind::kReceive:
      return {0, 1};
  }
  return {0, 0};
}

ncclResult_t check_operation(Machine& machine, ncclComm& communicator, const Transfer& transfer) {
  const bool is_small = transfer.type == ncclFloat8e4m3 || transfer.type == ncclFloat8e5m2;
  if (is_small && machine.profile().compute_major < 9)
    return fail(ncclInvalidArgument, "FP8 reduction support begins with sm90 capable devices.");
  const int operation = transfer.operation;
  if (operation < 0)
    return fail(ncclInvalidArgument, "invalid reduction operation " + std::to_string(operation));
  if (operation < ncclNumOps) return ncclSuccess;
  const std::scoped_lock lock(communicator.mutex);
  const auto known = communicator.operators.find(operation);
  if (known == communicator.operators.end())
    return fail(ncclInvalidArgument,
                "reduction operation " + std::to_string(operation) + " unknown to this communicator");
  if (known->second != transfer.type)
    return fail(
        ncclInvalidArgument,
        "Data type supplied to user-created ncclRedOp_t does not match type given to reduction operation");
  return ncclSuccess;
}

ncclResult_t check_buffer(Machine& machine, int device, const char* name, const void* buffer,
                          std::uint64_t bytes) {
  if (bytes == 0) return ncclSuccess;
  const auto address = address_of(buffer);
  const auto refuse = [&](const std::string& why) { return fail(ncclInvalidArgument, name + why); };
  bool is_whole = false;
  if (machine.is_device_address(address)) {
    const auto first = machine.find(address);
    if (first && first->device != device)
      return refuse(" allocated on device " + std::to_string(first->device) + " mismatchs with NCCL device " +
                    std::to_string(device));
    is_whole = is_of_device(machine, device, buffer, bytes);
  } else {
    const auto block = machine.host_memory().find(address);
    if (!block) return refuse(" is not a valid pointer");
    is_whole = bytes <= block->bytes - (address - block->address);
  }
  return is_whole ? ncclSuccess
                  : refuse(" is smaller than the " + std::to_string(bytes) + " bytes of its part");
}

}  // namespace

ncclResult_t transfer(ncclComm_t handle, const Transfer& transfer, cudaStream_t stream_handle) {
  return call_with(handle, [&](Machine& machine, ncclComm& communicator) {
    if (communicator.is_finalised || communicator.is_revoked)
      return fail(ncclInvalidUsage, "the communicator was finalized or revoked");
    if (transfer.peer < 0 || transfer.peer >= communicator.size_bound)
      return fail(ncclInvalidArgument, "invalid root " + std::to_string(transfer.peer) +
                                           " (root should be in the 0.." +
                                           std::to_string(communicator.size_bound) + " range)");
    const std::uint64_t element_bytes = bytes_of(transfer.type);
    if (element_bytes == 0)
      return fail(ncclInvalidArgument, "invalid type " + std::to_string(int{transfer.type}));
    if (reduces(transfer.kind)) {
      const ncclResult_t known = check_operation(machine, communicator, transfer);
      if (known != ncclSuccess) return known;
    }

    // If the number of ranks is unknown, at least this one.
    const auto ranks = static_cast<std::uint64_t>(communicator.size.value_or(1));
    const Parts parts = parts_of(transfer.kind, transfer.peer == communicator.rank, ranks);
    std::uint64_t bytes = 0;
    if (__builtin_mul_overflow(transfer.count, element_bytes * ranks, &bytes))
      return fail(ncclInvalidArgument, "no buffer holds " + std::to_string(transfer.count) + " elements");
    bytes /= ranks;
    const Movement movement{.kind = transfer.kind,
                            .send = transfer.send,
                            .send_bytes = parts.send * bytes,
                            .receive = transfer.receive,
                            .receive_bytes = parts.receive * bytes,
                            .type = transfer.type,
                            .operation = transfer.operation,
                            .rank = communicator.rank,
                            .peer = transfer.peer,
                            .size = communicator.size};
    ncclResult_t checked =
        check_buffer(machine, communicator.device, "sendbuff", movement.send, movement.send_bytes);
    if (checked != ncclSuccess) return checked;
    checked =
        check_buffer(machine, communicator.device, "recvbuff", movement.receive, movement.receive_bytes);
    if (checked != ncclSuccess) return checked;

    CUstream_st* const stream = machine.streams().resolve(stream_handle, communicator.device);
    if (stream == nullptr || stream->device != communicator.device)
      return fail(ncclUnhandledCudaError, "the stream is not of the communicator's device, or was destroyed");
    return enqueue(machine, {handle, stream, movement});
  });
}

}  // namespace strata::dry_gpu

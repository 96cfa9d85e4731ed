// SPDX-License-Identifier: Apache-2.0
// NCCL's collectives, and its sends and receives.
#include "dry_gpu/nccl/transfers.hpp"

using namespace strata::dry_gpu;

ncclResult_t ncclAllReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kAllReduce, send, receive, count, type, /*peer=*/0, operation},
                  stream);
}

ncclResult_t ncclReduce(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t operation, int root, ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kReduce, send, receive, count, type, root, operation}, stream);
}

ncclResult_t ncclReduceScatter(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t operation, ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator,
                  {TransferKind::kReduceScatter, send, receive, count, type, /*peer=*/0, operation}, stream);
}

ncclResult_t ncclBroadcast(const void* send, void* receive, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kBroadcast, send, receive, count, type, root}, stream);
}

ncclResult_t ncclBcast(void* buffer, std::size_t count, ncclDataType_t type, int root,
                       ncclComm_t communicator, cudaStream_t stream) {
  return ncclBroadcast(buffer, buffer, count, type, root, communicator, stream);
}

ncclResult_t ncclAllGather(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                           ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kAllGather, send, receive, count, type}, stream);
}

ncclResult_t ncclAlltoAll(const void* send, void* receive, std::size_t count, ncclDataType_t type,
                          ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kAllToAll, send, receive, count, type}, stream);
}

ncclResult_t ncclGather(const void* send, void* receive, std::size_t count, ncclDataType_t type, int root,
                        ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kGather, send, receive, count, type, root}, stream);
}

ncclResult_t ncclScatter(const void* send, void* receive, std::size_t count, ncclDataType_t type, int root,
                         ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kScatter, send, receive, count, type, root}, stream);
}

ncclResult_t ncclSend(const void* send, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kSend, send, nullptr, count, type, peer}, stream);
}

ncclResult_t ncclRecv(void* receive, std::size_t count, ncclDataType_t type, int peer,
                      ncclComm_t communicator, cudaStream_t stream) {
  return transfer(communicator, {TransferKind::kReceive, nullptr, receive, count, type, peer}, stream);
}

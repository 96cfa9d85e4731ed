// SPDX-License-Identifier: Apache-2.0
// Reduction operators that programs make: a sum of inputs that are multiplied first.
#include <atomic>
#include <string>

#include "dry_gpu/nccl/communicator.hpp"

using namespace strata::dry_gpu;

ncclResult_t ncclRedOpCreatePreMulSum(ncclRedOp_t* result, void* scalar, ncclDataType_t type,
                                      ncclScalarResidence_t residence, ncclComm_t handle) {
  return call_with(handle, [&](Machine&, ncclComm& communicator) {
    if (result == nullptr || scalar == nullptr)
      return fail(ncclInvalidArgument, "ncclRedOpCreatePreMulSum : op or scalar argument is NULL");
    if (type < 0 || type >= ncclNumTypes) return fail(ncclInvalidArgument, "invalid type");
    if (residence != ncclScalarDevice && residence != ncclScalarHostImmediate)
      return fail(ncclInvalidArgument, "invalid residence of the scalar");
    // Unique in the process, so that one of another communicator is detected.
    static std::atomic<int> last = ncclNumOps - 1;
    const int made = ++last;
    const std::scoped_lock lock(communicator.mutex);
    communicator.operators.emplace(made, type);
    *result = static_cast<ncclRedOp_t>(made);
    return ncclSuccess;
  });
}

ncclResult_t ncclRedOpDestroy(ncclRedOp_t operation, ncclComm_t handle) {
  return call_with(handle, [&](Machine&, ncclComm& communicator) {
    if (operation >= 0 && operation < ncclNumOps)
      return fail(ncclInvalidArgument, "ncclRedOpDestroy : operator is a NCCL builtin.");
    const std::scoped_lock lock(communicator.mutex);
    return communicator.operators.erase(operation) == 1
               ? ncclSuccess
               : fail(ncclInvalidArgument, "ncclRedOpDestroy : operator unknown to this communicator");
  });
}

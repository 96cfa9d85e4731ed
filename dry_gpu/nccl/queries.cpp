// SPDX-License-Identifier: Apache-2.0
// Queries of communicators, and their end.
#include "dry_gpu/nccl/communicator.hpp"

using namespace strata::dry_gpu;

namespace {

constexpr const char* kSplit =
    "a dry GPU does not know how many ranks chose a split's color: create a separate communicator instead "
    "(in PyTorch: init_process_group without device_id)";

template <typename Body>
ncclResult_t ask(ncclComm_t communicator, const void* result, Body&& body) {
  return call_with(communicator, [&](Machine&, ncclComm& known) {
    return result == nullptr ? fail(ncclInvalidArgument, "the argument for the answer is NULL") : body(known);
  });
}

// Null is no error here.
template <typename Body>
ncclResult_t end(ncclComm_t communicator, Body&& body) {
  if (communicator == nullptr) return ncclSuccess;
  return call_with(communicator, body);
}

}  // namespace

ncclResult_t ncclCommCount(const ncclComm_t communicator, int* count) {
  return ask(communicator, count, [&](const ncclComm& known) {
    if (!known.size) return fail(ncclInvalidUsage, kSplit);
    *count = *known.size;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommUserRank(const ncclComm_t communicator, int* rank) {
  return ask(communicator, rank, [&](const ncclComm& known) {
    if (!known.size) return fail(ncclInvalidUsage, kSplit);
    *rank = known.rank;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommCuDevice(const ncclComm_t communicator, int* device) {
  return ask(communicator, device, [&](const ncclComm& known) {
    *device = known.device;
    return ncclSuccess;
  });
}

// Not one of the errors that it keeps: asking for them changes nothing.
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* error) {
  if (!is_live(communicator) || error == nullptr)
    return fail(ncclInvalidArgument,
                "comm or asyncError argument is NULL, or comm has already been destroyed");
  *error = communicator->asynchronous_error;
  return ncclSuccess;
}

ncclResult_t ncclCommFinalize(ncclComm_t communicator) {
  return end(communicator, [](Machine&, ncclComm& known) {
    return known.is_finalised.exchange(true) ? fail(ncclInvalidArgument, "comm was finalized before")
                                             : ncclSuccess;
  });
}

ncclResult_t ncclCommRevoke(ncclComm_t communicator, int flags) {
  return end(communicator, [&](Machine&, ncclComm& known) {
    if (flags != NCCL_REVOKE_DEFAULT || known.is_finalised || known.is_revoked.exchange(true))
      return fail(ncclInvalidArgument, "comm was finalized or revoked before, or revokeFlags is not 0");
    known.is_finalised = true;
    return ncclSuccess;
  });
}

ncclResult_t ncclCommDestroy(ncclComm_t communicator) {
  return end(communicator, [](Machine& machine, ncclComm& known) {
    end_communicator(machine, known);
    return ncclSuccess;
  });
}

ncclResult_t ncclCommAbort(ncclComm_t communicator) {
  return ncclCommDestroy(communicator);
}

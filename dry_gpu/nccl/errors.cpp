// SPDX-License-Identifier: Apache-2.0
// The names of NCCL's results, and the text of its last error.
#include "dry_gpu/nccl/errors.hpp"

#include <mutex>

namespace strata::dry_gpu {
namespace {

struct LastError {
  std::mutex mutex;
  std::string text;
};

// Never destroyed: programs take their communicators down from static destructors.
LastError& last_error() {
  static LastError& only = *new LastError;  // NOLINT(cppcoreguidelines-owning-memory)
  return only;
}

}  // namespace

ncclResult_t fail(ncclResult_t result, const std::string& text) {
  LastError& last = last_error();
  const std::scoped_lock lock(last.mutex);
  last.text = text;
  return result;
}

}  // namespace strata::dry_gpu

const char* ncclGetErrorString(ncclResult_t result) {
  switch (result) {
    case ncclSuccess:
      return "no error";
    case ncclUnhandledCudaError:
      return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
    case ncclSystemError:
      return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    case ncclInternalError:
      return "internal error - please report this issue to the NCCL developers";
    case ncclInvalidArgument:
      return "invalid argument (run with NCCL_DEBUG=WARN for details)";
    case ncclInvalidUsage:
      return "invalid usage (run with NCCL_DEBUG=WARN for details)";
    case ncclRemoteError:
      return "remote process exited or there was a network error";
    case ncclInProgress:
      return "NCCL operation in progress";
    case ncclNumResults:
      break;
  }
  return "unknown result code";
}

// The text is the calling thread's own copy, until its next call.
const char* ncclGetLastError(ncclComm_t) {
  thread_local std::string copy;
  strata::dry_gpu::LastError& last = strata::dry_gpu::last_error();
  const std::scoped_lock lock(last.mutex);
  copy = last.text;
  return copy.c_str();
}

ncclResult_t ncclGetVersion(int* version) {
  if (version == nullptr)
    return strata::dry_gpu::fail(ncclInvalidArgument, "GetVersion : version argument is NULL");
  *version = NCCL_VERSION_CODE;
  return ncclSuccess;
}

// It has the environment read again for NCCL's log. There is no such log here.
void ncclResetDebugInit() {}

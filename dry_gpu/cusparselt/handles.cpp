// SPDX-License-Identifier: Apache-2.0
// cuSPARSELt's handle, version, and the names of statuses, which are cuSPARSE's.
#include "dry_gpu/cusparselt/opaque.hpp"
#include "dry_gpu/library_version.hpp"

using namespace strata::dry_gpu;

// Sparse tensor cores came with compute capability 8.0.
cusparseStatus_t cusparseLtInit(cusparseLtHandle_t* handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  cusparseStatus_t status = CUSPARSE_STATUS_NOT_INITIALIZED;
  call([&](Machine& machine, ThreadState& thread) {
    machine.used(thread.device);
    status =
        machine.profile().compute_major < 8 ? CUSPARSE_STATUS_ARCH_MISMATCH : put(handle, SparseHandle{});
    return cudaSuccess;
  });
  return status;
}

cusparseStatus_t cusparseLtDestroy(const cusparseLtHandle_t* handle) {
  return erase<SparseHandle>(handle);
}

cusparseStatus_t cusparseLtGetVersion(const cusparseLtHandle_t* handle, int* version) {
  if (!is_handle(handle)) return CUSPARSE_STATUS_NOT_INITIALIZED;
  if (version == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  *version = CUSPARSELT_VERSION;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseLtGetProperty(libraryPropertyType type, int* value) {
  const std::optional<int> part =
      version_part(type, {CUSPARSELT_VER_MAJOR, CUSPARSELT_VER_MINOR, CUSPARSELT_VER_PATCH});
  if (value == nullptr || !part) return CUSPARSE_STATUS_INVALID_VALUE;
  *value = *part;
  return CUSPARSE_STATUS_SUCCESS;
}

const char* cusparseLtGetErrorName(cusparseStatus_t status) {
  return cusparseGetErrorName(status);
}
const char* cusparseLtGetErrorString(cusparseStatus_t status) {
  return cusparseGetErrorString(status);
}

// SPDX-License-Identifier: Apache-2.0
// cuSPARSE's handles and their settings.
#include <memory>

#include "dry_gpu/cusparse/call.hpp"
#include "dry_gpu/library_version.hpp"

using namespace strata::dry_gpu;

cusparseStatus_t cusparseCreate(cusparseHandle_t* result) {
  if (result == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
  return make_handle<CUSPARSE_STATUS_ALLOC_FAILED, CUSPARSE_STATUS_NOT_INITIALIZED>(
      std::nullopt, [&](int device) {
        *result = std::make_unique<cusparseContext>(cusparseContext{.device = device}).release();
      });
}

cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  if (handle == nullptr) return CUSPARSE_STATUS_NOT_INITIALIZED;
  const std::unique_ptr<cusparseContext> owned(handle);
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int* version) {
  return call_cusparse(handle, [&](cusparseContext&) {
    if (version == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *version = CUSPARSE_VERSION;
    return CUSPARSE_STATUS_SUCCESS;
  });
}

cusparseStatus_t cusparseGetProperty(libraryPropertyType type, int* value) {
  const std::optional<int> part =
      version_part(type, {CUSPARSE_VER_MAJOR, CUSPARSE_VER_MINOR, CUSPARSE_VER_PATCH});
  if (value == nullptr || !part) return CUSPARSE_STATUS_INVALID_VALUE;
  *value = *part;
  return CUSPARSE_STATUS_SUCCESS;
}

cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  return call_cusparse(handle, [&](cusparseContext& context) { context.stream = stream; });
}

cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t* stream) {
  return call_cusparse(handle, [&](cusparseContext& context) {
    if (stream == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *stream = context.stream;
    return CUSPARSE_STATUS_SUCCESS;
  });
}

cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode) {
  return call_cusparse(handle, [&](cusparseContext& context) { context.pointer_mode = mode; });
}

cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t* mode) {
  return call_cusparse(handle, [&](cusparseContext& context) {
    if (mode == nullptr) return CUSPARSE_STATUS_INVALID_VALUE;
    *mode = context.pointer_mode;
    return CUSPARSE_STATUS_SUCCESS;
  });
}

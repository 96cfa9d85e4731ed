// SPDX-License-Identifier: Apache-2.0
// cuDNN's version: that of the headers that this is built with.
#include "dry_gpu/cudnn/call.hpp"
#include "dry_gpu/library_version.hpp"

using namespace strata::dry_gpu;

std::size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}
std::size_t cudnnGetCudartVersion() {
  return CUDART_VERSION;
}
std::size_t cudnnGetMaxDeviceVersion() {
  return 1210;
}

cudnnStatus_t cudnnGetProperty(libraryPropertyType type, int* value) {
  const std::optional<int> part = version_part(type, {CUDNN_MAJOR, CUDNN_MINOR, CUDNN_PATCHLEVEL});
  if (value == nullptr || !part) return CUDNN_STATUS_BAD_PARAM;
  *value = *part;
  return CUDNN_STATUS_SUCCESS;
}

// Whether the parts of cuDNN are of one version: here they are one library.
cudnnStatus_t cudnnGraphVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnOpsVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnCnnVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}
cudnnStatus_t cudnnAdvVersionCheck() {
  return CUDNN_STATUS_SUCCESS;
}

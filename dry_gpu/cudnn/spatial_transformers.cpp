// SPDX-License-Identifier: Apache-2.0
// Spatial transformer descriptors. The operations that use them only write values (cudnn.effectless.txt).
#include <vector>

#include "dry_gpu/cudnn/call.hpp"

using namespace strata::dry_gpu;

struct cudnnSpatialTransformerStruct {
  cudnnSamplerType_t sampler = CUDNN_SAMPLER_BILINEAR;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<int> sizes;
};

cudnnStatus_t cudnnCreateSpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t* result) {
  return create(result);
}
cudnnStatus_t cudnnDestroySpatialTransformerDescriptor(cudnnSpatialTransformerDescriptor_t transformer) {
  return destroy(transformer);
}
cudnnStatus_t cudnnSetSpatialTransformerNdDescriptor(cudnnSpatialTransformerDescriptor_t transformer,
                                                     cudnnSamplerType_t sampler, cudnnDataType_t type,
                                                     const int dimensions, const int sizes[]) {
  return answer([&] {
    if (has_null(transformer, sizes) || dimensions < 0) return CUDNN_STATUS_BAD_PARAM;
    if (type == CUDNN_DATA_INT8) return CUDNN_STATUS_NOT_SUPPORTED;
    if (sampler != CUDNN_SAMPLER_BILINEAR || !is_at_most(type, CUDNN_DATA_HALF))
      return CUDNN_STATUS_BAD_PARAM;
    *transformer = {.sampler = sampler, .type = type, .sizes = {sizes, sizes + dimensions}};
    return CUDNN_STATUS_SUCCESS;
  });
}

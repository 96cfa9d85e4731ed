// SPDX-License-Identifier: Apache-2.0
// Descriptors of tensors for the units of compute capability 9.0 and later that copy them. Their form is not
// documented, and only kernels read them: here one holds the tensor's address.
#include <algorithm>
#include <cstdint>

#include "dry_gpu/driver/call.hpp"

using namespace strata::dry_gpu;

namespace {

constexpr std::uint64_t kMapAlignment = 64, kAddressAlignment = 16;
constexpr std::uint32_t kFirstCapability = 9, kFirstWideCapability = 10;
constexpr std::uint32_t kMostDimensions = 5;

CUresult point_to(CUtensorMap* map, const void* address) {
  if (map == nullptr || address_of(map) % kMapAlignment != 0 || address_of(address) % kAddressAlignment != 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::ranges::fill(map->opaque, 0U);
  map->opaque[0] = address_of(address);
  return CUDA_SUCCESS;
}

CUresult encode(CUtensorMap* map, std::uint32_t rank, std::uint32_t least_rank, const void* address,
                std::uint32_t first_capability) {
  return drive([&](Machine& machine, ThreadState&) {
    if (machine.profile().compute_major < first_capability) return CUDA_ERROR_NOT_SUPPORTED;
    return rank < least_rank || rank > kMostDimensions ? CUDA_ERROR_INVALID_VALUE : point_to(map, address);
  });
}

}  // namespace

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                                const cuuint64_t*, const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                                CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                                CUtensorMapFloatOOBfill) {
  return encode(map, rank, 1, address, kFirstCapability);
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                                 const cuuint64_t*, const cuuint64_t*, const int*, const int*, cuuint32_t,
                                 cuuint32_t, const cuuint32_t*, CUtensorMapInterleave, CUtensorMapSwizzle,
                                 CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return encode(map, rank, 3, address, kFirstCapability);
}

CUresult cuTensorMapEncodeIm2colWide(CUtensorMap* map, CUtensorMapDataType, cuuint32_t rank, void* address,
                                     const cuuint64_t*, const cuuint64_t*, int, int, cuuint32_t, cuuint32_t,
                                     const cuuint32_t*, CUtensorMapInterleave, CUtensorMapIm2ColWideMode,
                                     CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill) {
  return encode(map, rank, 3, address, kFirstWideCapability);
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  return encode(map, 1, 1, address, kFirstCapability);
}

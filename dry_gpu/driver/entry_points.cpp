// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/driver/entry_points.hpp"

#include <algorithm>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/driver/call.hpp"

namespace strata::dry_gpu {

void* entry_point(std::string_view name, int version) {
  const auto same = std::ranges::equal_range(entry_points(), name, {}, &EntryPoint::name);
  const EntryPoint* latest = nullptr;
  for (const EntryPoint& each : same) {
    if (each.since <= version) latest = &each;
  }
  return latest == nullptr ? nullptr : reinterpret_cast<void*>(latest->function);
}

}  // namespace strata::dry_gpu

using namespace strata::dry_gpu;

CUresult cuGetProcAddress_v2(const char* name, void** function, int version, cuuint64_t,
                             CUdriverProcAddressQueryResult* found) {
  *function = entry_point(name, version);
  const bool is_known = *function != nullptr;
  const bool is_later = !is_known && entry_point(name, CUDA_VERSION) != nullptr;
  if (found != nullptr)
    *found = is_known   ? CU_GET_PROC_ADDRESS_SUCCESS
             : is_later ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                        : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return is_known ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// Returns success even if there is no such function; `found` reports that.
cudaError_t cudaGetDriverEntryPointByVersion(const char* name, void** function, unsigned version,
                                             unsigned long long, cudaDriverEntryPointQueryResult* found) {
  CUdriverProcAddressQueryResult result{};
  cuGetProcAddress_v2(name, function, static_cast<int>(version), 0, &result);
  if (found != nullptr) *found = static_cast<cudaDriverEntryPointQueryResult>(result);
  return cudaSuccess;
}

// Tables known only to NVIDIA's own libraries. There are none here. NVRTC asks for one and can do without it.
// A statically linked CUDA runtime cannot, and does not work here.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/driver/entry_points.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <mutex>
#include <set>
#include <string_view>

#include "dry_gpu/cudart/call.hpp"
#include "dry_gpu/device/account/messages.hpp"
#include "dry_gpu/driver/call.hpp"

namespace strata::dry_gpu {
namespace {

// Once for each library that contains a CUDA runtime, such as an extension that was built without torch's.
void name_static_runtime(const void* caller) {
  Dl_info found{};
  if (dladdr(caller, &found) == 0 || found.dli_fname == nullptr) return;
  const std::string_view path = found.dli_fname;
  if (path.substr(path.find_last_of('/') + 1).starts_with("libnv")) return;  // NVRTC can do without the table
  static std::mutex mutex;
  static std::set<const void*> named;
  const std::lock_guard lock(mutex);
  if (named.insert(found.dli_fbase).second)
    say(found.dli_fname,
        "is linked statically with the CUDA runtime, which the dry GPU cannot replace: its calls of CUDA "
        "fail. "
        "Link it with the shared runtime: nvcc --cudart shared");
}

}  // namespace

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
  name_static_runtime(__builtin_return_address(0));
  *table = nullptr;
  return CUDA_ERROR_NOT_SUPPORTED;
}

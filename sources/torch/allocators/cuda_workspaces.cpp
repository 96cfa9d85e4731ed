// SPDX-License-Identifier: Apache-2.0
#include "sources/torch/allocators/cuda_workspaces.hpp"

#include <ATen/cuda/CUDAContextLight.h>
#include <dlfcn.h>

#include <cstdint>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string_view>

#include "sources/torch/host/host_link.hpp"
#include "strata/ext/tensor.h"

namespace strata::torch_source {
namespace {

using Workspaces = at::cuda::WorkspaceMapWithMutex;

// Found by name and not linked, as the allocator is.
Workspaces* workspaces(const char* function) {
  void* const library = dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return nullptr;
  const auto get = reinterpret_cast<Workspaces& (*)()>(dlsym(library, function));
  return get == nullptr ? nullptr : &get();
}

// They live as long as the process, and are looked for until they are there.
Workspaces* cublas() {
  static Workspaces* found = nullptr;
  if (found == nullptr) found = workspaces("_ZN2at4cuda33cublas_handle_stream_to_workspaceEv");
  return found;
}

Workspaces* cublaslt() {
  static Workspaces* found = nullptr;
  if (found == nullptr) found = workspaces("_ZN2at4cuda35cublaslt_handle_stream_to_workspaceEv");
  return found;
}

void report_one(const Emission& emission, const at::DataPtr& workspace, std::string_view name) {
  emission.tensor({.struct_size = sizeof(strata_tensor_event),
                   .role = STRATA_TENSOR_WORKSPACE,
                   .name = emission.intern(name),
                   .dtype = emission.intern(""),
                   .device = {.type = STRATA_DEVICE_CUDA, .index = workspace.device().index()},
                   .address = reinterpret_cast<std::uint64_t>(workspace.get()),
                   .storage_bytes = 0,
                   .owner_address = 0,
                   .sizes = nullptr,
                   .dimensions = 0,
                   .is_frozen = 0});
}

// The map's value; from torch 2.15 on (or earlier) it also contains the block's size.
const at::DataPtr& block_of(const auto& workspace) {
  if constexpr (requires { workspace.first.get(); }) {
    return workspace.first;
  } else {
    return workspace;
  }
}

// The workspaces reported in a run, by address.
struct ReportedWorkspaces {
  std::mutex mutex;
  std::uint64_t run = 0;
  std::set<std::uint64_t> addresses;
} reported;

void report_all(const Emission& emission, Workspaces* all, std::string_view name) {
  if (all == nullptr) return;
  const std::shared_lock lock(all->mutex, std::try_to_lock);
  if (!lock) return;
  for (const auto& [handle_and_stream, value] : all->map) {
    const at::DataPtr& workspace = block_of(value);
    if (reported.addresses.insert(reinterpret_cast<std::uint64_t>(workspace.get())).second)
      report_one(emission, workspace, name);
  }
}

}  // namespace

void report_cuda_workspaces() noexcept try {
  const Emission emission;
  if (!emission || !emission.wanted(STRATA_INTEREST_TENSOR)) return;
  const std::lock_guard lock(reported.mutex);
  if (reported.run != emission.run()) {
    reported.addresses.clear();
    reported.run = emission.run();
  }
  report_all(emission, cublas(), "cuBLAS workspace");
  report_all(emission, cublaslt(), "cuBLASLt workspace");
} catch (...) {
  // No memory: they go without a name.
}

}  // namespace strata::torch_source

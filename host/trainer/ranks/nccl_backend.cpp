// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/ranks/nccl_backend.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "host/trainer/ranks/nccl_entry.hpp"
#include "host/trainer/torch_folder.hpp"

namespace strata::trainer {
namespace {

// Beside the library that this code is in; of a test program, where the build has it.
std::filesystem::path nccl_library() {
  Dl_info here{};
  dladdr(reinterpret_cast<const void*>(&make_nccl_backend), &here);
  return std::filesystem::absolute(here.dli_fname).parent_path() / "libstrata_nccl.so";
}

}  // namespace

c10::intrusive_ptr<c10d::Backend> make_nccl_backend(const c10::intrusive_ptr<c10d::Store>& store,
                                                    const RankPlace& place) {
  const std::filesystem::path path = nccl_library();
  if (!std::filesystem::exists(path)) {
    throw std::runtime_error(
        fmt::format("world_size: ranks on CUDA devices need NCCL, but this build has none ({} is missing); "
                    "build Strata with torch's CUDA wheel, or use device: cpu",
                    path.string()));
  }
  open_beside_torch("libtorch.so", RTLD_LOCAL);
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  const auto make = reinterpret_cast<MakeNcclBackend>(dlsym(library, kMakeNcclBackendSymbol));
  if (make == nullptr) throw std::runtime_error(dlerror());
  return make(store, static_cast<int>(place.rank), static_cast<int>(place.world_size));
}

}  // namespace strata::trainer

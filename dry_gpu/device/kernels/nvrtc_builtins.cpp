// SPDX-License-Identifier: Apache-2.0
#include "dry_gpu/device/kernels/nvrtc_builtins.hpp"

#include <dlfcn.h>
#include <glob.h>
#include <link.h>

#include <atomic>
#include <string>
#include <string_view>

namespace strata::dry_gpu {
namespace {

constexpr std::string_view kTorch = "/torch/lib/libtorch_cuda.so";
constexpr std::string_view kBuiltins = "/nvidia/cu13/lib/libnvrtc-builtins.so.*[0-9]";

// Stops at the library that is sought, having written down the folder of torch's package.
int find_torch(dl_phdr_info* library, std::size_t, void* packages) {
  const std::string_view path = library->dlpi_name == nullptr ? "" : library->dlpi_name;
  if (!path.ends_with(kTorch)) return 0;
  *static_cast<std::string*>(packages) = path.substr(0, path.size() - kTorch.size());
  return 1;
}

}  // namespace

void open_nvrtc_builtins() noexcept {
  static std::atomic<bool> are_open = false;
  if (are_open.load(std::memory_order_relaxed)) return;
  try {
    std::string packages;
    if (dl_iterate_phdr(find_torch, &packages) == 0) return;
    glob_t found{};
    if (glob((packages + std::string(kBuiltins)).c_str(), 0, nullptr, &found) == 0)
      dlopen(found.gl_pathv[0], RTLD_LAZY | RTLD_LOCAL);
    globfree(&found);
    are_open = true;
  } catch (...) {  // no room for a path: then it is looked for as ever
  }
}

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// LibTorch's other libraries, beside the one that this process has loaded: they are found wherever that one
// was found, by a path of the build's or of the program's own choice.
#pragma once

#include <ATen/Context.h>
#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace strata::trainer {

// Opens "libtorch_cuda.so" for the rest of the process; `scope`: RTLD_GLOBAL or RTLD_LOCAL. Throws
// std::runtime_error with the loader's reason.
inline void open_beside_torch(const char* library, int scope) {
  Dl_info torch{};
  dladdr(reinterpret_cast<const void*>(&at::globalContext), &torch);
  const std::filesystem::path folder = std::filesystem::path(torch.dli_fname).parent_path();
  if (dlopen((folder / library).c_str(), RTLD_NOW | scope) == nullptr) throw std::runtime_error(dlerror());
}

}  // namespace strata::trainer

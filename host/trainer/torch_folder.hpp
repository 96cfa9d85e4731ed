// SPDX-License-Identifier: Apache-2.0
// LibTorch's other libraries, next to the one that this process has loaded: in the folder where that one was
// found, by the build's path or by the program's own choice.
#pragma once

#include <ATen/Context.h>
#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace strata::trainer {

// Opens "libtorch_cuda.so" for the rest of the process; `scope`: RTLD_GLOBAL or RTLD_LOCAL. Throws
// std::runtime_error with the loader's message.
inline void open_beside_torch(const char* library, int scope) {
  Dl_info torch{};
  dladdr(reinterpret_cast<const void*>(&at::globalContext), &torch);
  const std::filesystem::path folder = std::filesystem::path(torch.dli_fname).parent_path();
  if (dlopen((folder / library).c_str(), RTLD_NOW | scope) == nullptr) throw std::runtime_error(dlerror());
}

}  // namespace strata::trainer

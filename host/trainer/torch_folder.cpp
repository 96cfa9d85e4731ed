// SPDX-License-Identifier: Apache-2.0
#include "host/trainer/torch_folder.hpp"

#include <ATen/Context.h>
#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

namespace strata::trainer {

void open_beside_torch(const char* library, int scope) {
  Dl_info torch{};
  dladdr(reinterpret_cast<const void*>(&at::globalContext), &torch);
  const std::filesystem::path folder = std::filesystem::path(torch.dli_fname).parent_path();
  if (dlopen((folder / library).c_str(), RTLD_NOW | scope) == nullptr) throw std::runtime_error(dlerror());
}

}  // namespace strata::trainer

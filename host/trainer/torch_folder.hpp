// SPDX-License-Identifier: Apache-2.0
// LibTorch's other libraries, beside the one that this process has loaded: whatever found that one, a path of
// the build's or the program's own choice, need not find them.
#pragma once

namespace strata::trainer {

// Opens "libtorch_cuda.so" for the rest of the process; `scope`: RTLD_GLOBAL or RTLD_LOCAL. Throws
// std::runtime_error with the loader's reason.
void open_beside_torch(const char* library, int scope);

}  // namespace strata::trainer

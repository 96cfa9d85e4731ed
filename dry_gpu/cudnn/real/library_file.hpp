// SPDX-License-Identifier: Apache-2.0
// The file of the real cuDNN, whose place is taken in this process.
#pragma once

#include <filesystem>
#include <string>

namespace strata::dry_gpu::real_cudnn {

// What STRATA_CUDNN_LIBRARY names; else the libcudnn.so.9 that the loader would have found for the library in
// this process that needs it, as libtorch_cuda.so does: by its own search path. Empty: there is none.
std::filesystem::path find_library();

// Which file that is: its path, size and time. Another one gives other answers. Empty: it cannot be read.
std::string identity_of(const std::filesystem::path& library);

}  // namespace strata::dry_gpu::real_cudnn

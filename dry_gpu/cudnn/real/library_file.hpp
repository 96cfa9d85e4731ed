// SPDX-License-Identifier: Apache-2.0
// The file of the real cuDNN, which this library replaces in this process.
#pragma once

#include <filesystem>
#include <string>

namespace strata::dry_gpu::real_cudnn {

// The file named by STRATA_CUDNN_LIBRARY, else the libcudnn.so.9 that the loader would have found for the
// library in this process that needs it, such as libtorch_cuda: through its own search path. Empty if there
// is none.
std::filesystem::path find_library();

// Identifies the file by its path, size and time, because another file gives other answers. Empty if it
// cannot be read.
std::string identity_of(const std::filesystem::path& library);

}  // namespace strata::dry_gpu::real_cudnn

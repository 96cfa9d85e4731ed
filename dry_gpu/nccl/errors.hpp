// SPDX-License-Identifier: Apache-2.0
// What NCCL tells about its errors.
#pragma once

#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop

#include <string>

namespace strata::dry_gpu {

// Keeps `text` for ncclGetLastError, as NCCL's own warnings are kept: one for the process. Returns `result`.
ncclResult_t fail(ncclResult_t result, const std::string& text);

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// NCCL's error texts.
#pragma once

#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop

#include <string>

namespace strata::dry_gpu {

// Stores `text` for ncclGetLastError, one per process like NCCL's own warnings. Returns `result`.
ncclResult_t fail(ncclResult_t result, const std::string& text);

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// Scaled dot-product attention through cuDNN's graph interface, as torch's cudnn_frontend builds it.
#pragma once

#include <cstdint>
#include <optional>

#include "dry_gpu/cudnn/backend.hpp"

namespace strata::dry_gpu {

// The workspace of a plan or an engine's configuration; empty if its graph is not attention. Measured on an
// H200 with cuDNN 9: 256 bytes per pass, forward and backward, in addition to what the frontend requests
// itself. Only one shape was measured (4 sequences of 512 positions, 12 heads of 64 values, bfloat16).
std::optional<std::int64_t> attention_workspace_bytes(const BackendContents& plan_or_configuration);

}  // namespace strata::dry_gpu

// SPDX-License-Identifier: Apache-2.0
// Memory that cuDNN requests from its caller. The need of each kernel is not documented and differs by card,
// shape and version. So it is a setting for convolutions, where it is largest (cudnn_workspace_bytes of the
// profile), and elsewhere the minimum that a caller can be asked for: nothing. Each computation with an
// unknown need is counted (Counts::unknown_workspaces).
#pragma once

#include <cstddef>

#include "dry_gpu/cudnn/call.hpp"

namespace strata::dry_gpu {

// [any thread] The workspace of every algorithm and every plan of a convolution.
std::size_t convolution_workspace_bytes() noexcept;

// Answers the query for any other workspace, with valid or invalid arguments.
inline cudnnStatus_t ask_for_nothing(bool is_right, std::size_t* bytes) {
  if (!is_right || bytes == nullptr) return CUDNN_STATUS_BAD_PARAM;
  *bytes = 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace strata::dry_gpu

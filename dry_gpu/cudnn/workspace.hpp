// SPDX-License-Identifier: Apache-2.0
// Memory that cuDNN asks its caller for. How much each of its kernels needs is not documented and differs by
// card, shape and version. So it is a setting where it counts most, in convolutions (cudnn_workspace_bytes of
// the profile), and the least that a caller can be asked for elsewhere: nothing. Each computation whose need
// is unknown is counted (Counts::unknown_workspaces).
#pragma once

#include <cstddef>

#include "dry_gpu/cudnn/call.hpp"

namespace strata::dry_gpu {

// [any thread] What every algorithm and every plan of a convolution asks for.
std::size_t convolution_workspace_bytes() noexcept;

// Answers the question for any other workspace, whose arguments were right or not.
inline cudnnStatus_t ask_for_nothing(bool is_right, std::size_t* bytes) {
  if (!is_right || bytes == nullptr) return CUDNN_STATUS_BAD_PARAM;
  *bytes = 0;
  return CUDNN_STATUS_SUCCESS;
}

}  // namespace strata::dry_gpu

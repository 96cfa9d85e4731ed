// SPDX-License-Identifier: Apache-2.0
// Checks before a run that this torch reports the events that the source needs.
#pragma once

#include <string>

namespace strata::torch_source {

// [loop-thread] Allocates a tensor of known size under the traced allocator and expects its allocation and
// its free. Returns what was missing, or an empty text. No host may be connected; leaves everything
// unchanged.
std::string self_check();

}  // namespace strata::torch_source

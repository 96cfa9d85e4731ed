// SPDX-License-Identifier: Apache-2.0
// What a checkpoint calls itself.
#pragma once

#include <cstdint>

namespace strata::trainer {

inline constexpr const char* kFormat = "strata training";
// Raised when what a reader of this one expects is gone or means something else.
inline constexpr std::int64_t kFormatVersion = 1;

}  // namespace strata::trainer

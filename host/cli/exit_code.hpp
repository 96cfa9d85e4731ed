// SPDX-License-Identifier: Apache-2.0
// The exit codes of `strata`.
#pragma once

namespace strata::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;        // the run or the request failed
inline constexpr int kUsage = 2;         // invalid command line or configuration: nothing was started
inline constexpr int kOutOfMemory = 3;   // of the device; was recorded
inline constexpr int kGateFailed = 4;    // `diff --fail-if`: the new run exceeds a limit
inline constexpr int kSignalBase = 128;  // + the signal number: 130 interrupted, 143 terminated

}  // namespace strata::cli

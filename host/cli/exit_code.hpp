// SPDX-License-Identifier: Apache-2.0
// What `strata` tells its caller.
#pragma once

namespace strata::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;        // the run, or what was asked for, failed
inline constexpr int kUsage = 2;         // bad command line or configuration: nothing was started
inline constexpr int kOutOfMemory = 3;   // of the device; recorded
inline constexpr int kGateFailed = 4;    // `diff --fail-if`: the new run needs too much
inline constexpr int kSignalBase = 128;  // + the signal's number: 130 interrupted, 143 terminated

}  // namespace strata::cli

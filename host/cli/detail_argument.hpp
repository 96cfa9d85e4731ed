// SPDX-License-Identifier: Apache-2.0
// The command line's `--detail 10%`.
#pragma once

#include <string_view>

namespace strata::cli {

// 0.1 for "10%" or "10 %": a fraction of all allocations, above 0 and at most 1. Throws UsageError if
// invalid.
double parse_detail(std::string_view text);

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
// The output of `strata replay`.
#pragma once

#include <string>

#include "host/analysis/allocator/replay.hpp"

namespace strata::report {

// As terminal_report: lines of at most `width` columns, but at least 80; untrusted names are made safe.
std::string replay_table(const analysis::Replay& replay, bool colour, int width);

}  // namespace strata::report

// SPDX-License-Identifier: Apache-2.0
// A run's replays as text: what `strata replay` prints.
#pragma once

#include <string>

#include "host/analysis/allocator/replay.hpp"

namespace strata::report {

// As terminal_report: lines of at most `width` columns, 80 at least, with strangers' names made safe.
std::string replay_table(const analysis::Replay& replay, bool colour, int width);

}  // namespace strata::report

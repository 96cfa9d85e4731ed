// SPDX-License-Identifier: Apache-2.0
// What is alive at the peak by the stack that allocated it, in the lines that flame graphs are made of
// (flamegraph.pl, inferno, speedscope): `outermost;...;innermost bytes`.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

// Where some were chosen by chance the bytes are estimates. What has no stack is a line of its own, so that
// the lines of a run without chance sum up to what was allocated. Throws std::runtime_error for a run that
// took no stacks.
void write_folded(const analysis::Facts& facts, Output& output, const Progress& progress = {});

}  // namespace strata::exports

// SPDX-License-Identifier: Apache-2.0
// The memory alive at the peak by allocating stack, as input for flame graphs (flamegraph.pl, inferno,
// speedscope): `outermost;...;innermost bytes`.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

// If stacks were sampled, the bytes are estimates. Memory without a stack is on its own line, so that without
// sampling the lines sum up to the allocated bytes. Throws std::runtime_error for a run without stacks.
void write_folded(const analysis::Facts& facts, Output& output, const Progress& progress = {});

}  // namespace strata::exports

// SPDX-License-Identifier: Apache-2.0
// Exports a run as a snapshot of PyTorch's CUDA allocator: the pickled result of
// `torch.cuda.memory._snapshot()`, for pytorch.org/memory_viz and torch/cuda/_memory_viz.py.
#pragma once

#include "host/analysis/facts/forward.hpp"
#include "host/export/output.hpp"

namespace strata::exports {

// All events of the run; categories in lower case, with colours in the table's order. Times are in
// microseconds since the run's begin. A run on the CPU is device 0. `frames` contain the op, the module and
// the phase; `user_metadata` the owner, the kind and the rule. Sizes are those of whole blocks; streams,
// which the facts do not distinguish, are all 0.
void write_memory_viz(const analysis::Facts& facts, Output& output, const Progress& progress = {});

}  // namespace strata::exports

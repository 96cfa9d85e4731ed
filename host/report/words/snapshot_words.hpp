// SPDX-License-Identifier: Apache-2.0
// What reports say, once, about a run that was converted from a snapshot of torch.cuda.memory.
#pragma once

#include <string>

#include "host/analysis/facts/memory_facts.hpp"

namespace strata::report {

// What the snapshot contains, what it cannot contain, and what follows for the peak. Empty for other runs.
std::string snapshot_sentence(const analysis::MemoryFacts& facts);

// "history of 12,345 entries over 3.2 s": the window of a snapshot without steps.
std::string snapshot_window(const analysis::MemoryFacts& facts);

// Whether the categories say nothing: a snapshot without categories, whose blocks are all Unknown.
bool has_no_categories(const analysis::RunFacts& facts);

}  // namespace strata::report

// SPDX-License-Identifier: Apache-2.0
// The notes in every report of a dry run, so that it is not mistaken for a measured one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/facts/dry_fact.hpp"
#include "host/analysis/facts/forward.hpp"

namespace strata::report {

// "cuda:0", or "cuda:0, a dry NVIDIA H100 80GB HBM3: nothing was computed, no time measured".
std::string device_text(const analysis::MemoryFacts& facts);

// ", 3 values assumed: conditions such as `mask.all()` are met, masks are even"; empty if there are none.
std::string assumed_text(std::uint64_t assumed_reads);

// Values that work on dry devices requested and that the dry device cannot know itself.
struct Unknowns {
  std::uint64_t times = 0;
  analysis::WorkspaceCounts workspaces;
  std::uint64_t communicators = 0;
  // The values assumed for each, as text; empty: nothing.
  std::string cudnn_workspace = {}, cusolver_workspace = {}, nccl_memory = {};
};

// "; workspaces: 53 from cuDNN itself, 12 from formulas fitted on an H200, 3 unknown (taken as 0)": the
// number of sizes by origin. Empty if no library requested a workspace.
std::string workspaces_text(const Unknowns& unknowns);

// ", 3 unknown times, 1 NCCL communicator whose ...", and workspaces_text; parts with a count of zero are
// omitted.
std::string unknowns_text(const Unknowns& unknowns);

// "; unknown values were read by aten::_coalesce (3)": readers and counts, and, if a size may depend on them,
// how to provide the values. Empty if there were none.
std::string readers_text(const std::vector<std::pair<std::string, std::uint64_t>>& readers);

// "; a real NVIDIA H200 was compared with this profile on 2026-11-28 (docs/parity.md)", or that none has
// been.
std::string compared_text(const analysis::DryFact& dry);

// Work that was not run, unknown values, refused functions, and the context's memory: one line.
std::string dry_admissions(const analysis::DryFact& dry);

}  // namespace strata::report

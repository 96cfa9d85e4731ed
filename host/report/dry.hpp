// SPDX-License-Identifier: Apache-2.0
// What every report says of a dry run, so that nobody takes it for a measured one.
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

// ", 3 conditions such as `mask.all()` taken to be met"; nothing of none.
std::string assumed_text(std::uint64_t assumed_reads);

// What work on dry devices asked for and the dry device cannot know by itself.
struct Unknowns {
  std::uint64_t times = 0;
  analysis::WorkspaceCounts workspaces;
  std::uint64_t communicators = 0;
  // What each is taken as, as it reads; empty: as nothing.
  std::string cudnn_workspace = {}, cusolver_workspace = {}, nccl_memory = {};
};

// "; workspaces: 53 from cuDNN itself, 12 from formulas fitted on an H200, 3 unknown (taken as 0)": how many
// sizes came from where. Nothing where no library asked for a workspace.
std::string workspaces_text(const Unknowns& unknowns);

// ", 3 unknown times, 1 NCCL communicator whose ...", and workspaces_text; nothing of what there is none of.
std::string unknowns_text(const Unknowns& unknowns);

// "; unknown values were read by aten::_coalesce (3)": who and how often, and where a size may hang on it,
// what would tell. Nothing where nobody read any.
std::string readers_text(const std::vector<std::pair<std::string, std::uint64_t>>& readers);

// "; a real NVIDIA H200 was compared with this profile on 2026-11-28 (docs/parity.md)", or that none has
// been.
std::string compared_text(const analysis::DryFact& dry);

// What was not run, not known and refused, and what the context takes: one line.
std::string dry_admissions(const analysis::DryFact& dry);

}  // namespace strata::report

// SPDX-License-Identifier: Apache-2.0
// What every report says of a dry run, so that nobody takes it for a measured one.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "host/analysis/facts.hpp"

namespace strata::report {

// "cuda:0", or "cuda:0, a dry NVIDIA H100 80GB HBM3: nothing was computed, no time measured".
std::string device_text(const analysis::Facts& facts);

// ", 3 conditions such as `mask.all()` taken to be met"; nothing of none.
std::string assumed_text(std::uint64_t assumed_reads);

// What work on dry devices asked for and nobody knows.
struct Unknowns {
  std::uint64_t times = 0, workspaces = 0, communicators = 0;
  // What each is taken as, as it reads; empty: as nothing.
  std::string cudnn_workspace, cusolver_workspace, nccl_memory;
};

// ", 3 unknown times, 1 workspace of unknown size (cuDNN's taken as 32.0 MiB), 1 NCCL communicator whose
// ..."; nothing of what there is none of.
std::string unknowns_text(const Unknowns& unknowns);

// "; unknown values were read by aten::_coalesce (3)": who and how often, and where a size may hang on it,
// what would tell. Nothing where nobody read any.
std::string readers_text(const std::vector<std::pair<std::string, std::uint64_t>>& readers);

// What was not run, not known and refused, and what the context takes: one line.
std::string dry_admissions(const analysis::DryFact& dry);

}  // namespace strata::report

// SPDX-License-Identifier: Apache-2.0
// All ranks of a job, compared.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "host/analysis/ranks/imbalance.hpp"
#include "host/analysis/ranks/rank_clocks.hpp"
#include "host/analysis/ranks/rank_facts.hpp"
#include "host/analysis/ranks/stragglers.hpp"

namespace strata::analysis {

struct Facts;

// The reason of those that the job's size says are missing.
inline constexpr const char* kLeftNothing = "left nothing in this folder";

// A rank that nothing can be said of, and why.
struct LostRank {
  std::uint64_t rank = 0;
  std::string reason;
};

struct JobFacts {
  std::string directory;
  std::uint64_t world_size = 1;
  std::vector<RankFacts> ranks;  // by rank; one at least
  std::vector<LostRank> lost;    // by rank
  RankClocks clocks;
  Stragglers stragglers;
  Imbalance imbalance;
  // The step that shows best what the ranks do at one time: the slowest straggler's slowest, else the one
  // that took the middle time; -1 where no step has two ranks.
  std::int64_t shown_step = -1;
};

// `ranks` by rank, one at least; `lost` those that could not be read. What the job's size says is missing is
// added to these.
JobFacts job_facts(std::vector<RankFacts> ranks, std::vector<LostRank> lost);

// The ranks that left anything in the run's folder: rank<k>/, by k. Throws RunError where it is no folder.
std::vector<std::uint64_t> ranks_in(const std::filesystem::path& run_directory);

// Whether the folder is of a job of more than one process, also where only one of them left anything. The one
// of `ddp.ranks: first` is none. Throws as ranks_in does.
bool has_several_ranks(const std::filesystem::path& run_directory);

// Reads and analyses one rank after the other, and keeps of each what is compared. `seen`, where given, is
// shown all that is known of each. Throws RunError when none can be read.
JobFacts read_job(const std::filesystem::path& run_directory,
                  const std::function<void(const Facts&)>& seen = {});

}  // namespace strata::analysis

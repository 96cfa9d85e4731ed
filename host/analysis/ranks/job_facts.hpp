// SPDX-License-Identifier: Apache-2.0
// A comparison of all ranks of a job.
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

// The reason for ranks missing according to the job's size.
inline constexpr const char* kLeftNothing = "left nothing in this folder";

// A rank without data, and the reason.
struct LostRank {
  std::uint64_t rank = 0;
  std::string reason;
};

struct JobFacts {
  std::string directory;
  std::uint64_t world_size = 1;
  std::vector<RankFacts> ranks;  // by rank; at least one
  std::vector<LostRank> lost;    // by rank
  RankClocks clocks;
  Stragglers stragglers;
  Imbalance imbalance;
  // The step that best shows the ranks at one time: the slowest step of the slowest straggler, else the one
  // of median duration; -1 if no step has two ranks.
  std::int64_t shown_step = -1;
};

// `ranks` by rank, at least one; `lost`: those that could not be read. Ranks missing according to the job's
// size are added.
JobFacts job_facts(std::vector<RankFacts> ranks, std::vector<LostRank> lost);

// The ranks with files in the run's folder: rank<k>/, by k. Throws RunError if it is not a folder.
std::vector<std::uint64_t> ranks_in(const std::filesystem::path& run_directory);

// Whether the folder belongs to a job of more than one process, even if only one left files. False if only
// one was started on purpose (`ddp.ranks: first`, `strata exec --world`). Throws like ranks_in.
bool has_several_ranks(const std::filesystem::path& run_directory);

// Reads and analyses the ranks one by one, and keeps only the data to compare. `seen`, if given, is called
// with all facts of each. Throws RunError if no rank can be read.
JobFacts read_job(const std::filesystem::path& run_directory,
                  const std::function<void(const Facts&)>& seen = {});

}  // namespace strata::analysis

// SPDX-License-Identifier: Apache-2.0
#include "host/cli/job/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>
#include <thread>

#include "host/cli/dry/dry_argument.hpp"
#include "host/cli/exit_code.hpp"
#include "host/cli/job/store_server.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/training/rank_processes.hpp"
#include "host/cli/usage_error.hpp"
#include "strata/runtime/whole_number.hpp"

namespace strata::cli {
namespace {

constexpr std::uint32_t kDevicesOfNode = 8;
constexpr std::string_view kRepresentative = "representative";

using Variables = std::map<std::string, std::string>;

Variables variables_of(const JobArguments& job, std::uint32_t rank, std::uint32_t ranks_on_node,
                       std::uint16_t port) {
  const std::uint32_t on_node = std::min(ranks_on_node, job.world_size);
  const std::string address = StoreServer::address(rank);
  Variables variables{{"STRATA_JOB", fmt::format("{}:{}", address, port)},
                      {"MASTER_ADDR", address},
                      {"MASTER_PORT", std::to_string(port)},
                      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                      {"TORCHELASTIC_RESTART_COUNT", "0"},
                      {"TORCHELASTIC_MAX_RESTARTS", "0"},
                      {"TORCHELASTIC_RUN_ID", "none"},
                      // Absent peers answer as this rank, also where torch asks for their devices.
                      {"TORCH_SYMM_MEM_ALLOW_OVERLAPPING_DEVICES", "1"}};
  const std::pair<const char*, std::uint32_t> numbers[] = {
      {"RANK", rank},
      {"WORLD_SIZE", job.world_size},
      {"LOCAL_RANK", rank % on_node},
      {"LOCAL_WORLD_SIZE", on_node},
      {"GROUP_RANK", rank / on_node},
      {"GROUP_WORLD_SIZE", (job.world_size + on_node - 1) / on_node},
      {"ROLE_RANK", rank},
      {"ROLE_WORLD_SIZE", job.world_size}};
  for (const auto& [name, number] : numbers) variables[name] = std::to_string(number);
  return variables;
}

// The ranks to run, in the order of starting: as many at once as this machine has cores, but at once those
// that another one waits for.
class Plan {
 public:
  explicit Plan(const JobArguments& job)
      : waiting_(ranks_of(job)), cores_(std::max(1U, std::thread::hardware_concurrency())) {}

  std::vector<std::uint32_t> next(std::size_t running, const std::vector<StoreServer::Needed>& needed) {
    std::vector<std::uint32_t> started;
    for (const StoreServer::Needed& each : needed) {
      if (begun_.contains(each.rank)) continue;
      if (std::erase(waiting_, each.rank) == 0)
        say(fmt::format(
            "{0} rank {1}, so rank {1} is run, too",
            each.is_awaited ? "another rank waits for data from" : "rank 0 exchanges tensors directly with",
            each.rank));
      if (each.is_awaited)
        begin(each.rank, started);
      else
        waiting_.push_back(each.rank);
    }
    while (!waiting_.empty() && running + started.size() < cores_) {
      begin(waiting_.front(), started);
      waiting_.erase(waiting_.begin());
    }
    return started;
  }
  std::size_t count() const { return begun_.size(); }

 private:
  void begin(std::uint32_t rank, std::vector<std::uint32_t>& started) {
    begun_.insert(rank);
    started.push_back(rank);
  }

  std::vector<std::uint32_t> waiting_;
  std::set<std::uint32_t> begun_;
  std::size_t cores_;
};

}  // namespace

std::vector<std::uint32_t> ranks_of(const JobArguments& job) {
  if (job.ranks.empty() || job.ranks == kRepresentative) return {0};
  std::set<std::uint32_t> ranks;
  std::istringstream words(job.ranks);
  for (std::string word; std::getline(words, word, ',');) {
    const auto rank = whole_number(word);
    if (!rank || *rank >= job.world_size)
      throw UsageError(
          fmt::format("--rank {}: expected ranks from 0 to {}, such as 0 or 0,{}, or {}; found '{}'",
                      job.ranks, job.world_size - 1, job.world_size - 1, kRepresentative, word));
    ranks.insert(*rank);
  }
  if (ranks.size() > kMostRanks)
    throw UsageError(fmt::format("--rank: at most {} ranks are run", kMostRanks));
  return {ranks.begin(), ranks.end()};
}

DryArguments devices_of_node(DryArguments dry, const JobArguments& job) {
  if (!dry.has_count()) dry.profile += fmt::format(":{}", std::min(job.world_size, kDevicesOfNode));
  return dry;
}

int run_job(const JobArguments& job, std::uint32_t ranks_on_node,
            const std::function<int(const Variables& variables)>& program) {
  const bool with_peers = job.ranks == kRepresentative;
  const StoreServer store(job.world_size, ranks_of(job), with_peers);
  Plan plan(job);
  const SomeRanks ranks{.world_size = job.world_size,
                        .first = plan.next(0, {}),
                        .more = [&](std::size_t running) { return plan.next(running, store.needed()); }};
  const int exit_code = run_rank_processes(ranks, [&](const trainer::RankPlace& place) {
    return program(variables_of(job, place.rank, ranks_on_node, store.port()));
  });
  if (exit_code == kDone && with_peers && plan.count() == 1)
    say("rank 0 exchanged no tensors directly with other ranks, so it represents all of them");
  return exit_code;
}

}  // namespace strata::cli

// SPDX-License-Identifier: Apache-2.0
#include "host/cli/job/job.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "host/cli/exit_code.hpp"
#include "host/cli/job/store_server.hpp"
#include "host/cli/terminal.hpp"
#include "host/cli/training/rank_processes.hpp"
#include "host/cli/usage_error.hpp"
#include "strata/runtime/whole_number.hpp"

namespace strata::cli {
namespace {

constexpr std::string_view kRepresentative = "representative";
constexpr std::size_t kMostRanks = 64;

using Variables = std::map<std::string, std::string>;

Variables variables_of(const JobArguments& job, std::uint32_t rank, std::uint32_t ranks_on_node,
                       std::uint16_t port, const std::filesystem::path& peers) {
  const std::uint32_t on_node = std::min(ranks_on_node, job.world_size);
  Variables variables{{"STRATA_JOB", fmt::format("127.0.0.1:{}", port)},
                      {"STRATA_JOB_PEERS", peers.string()},
                      {"MASTER_ADDR", "127.0.0.1"},
                      {"MASTER_PORT", std::to_string(port)},
                      {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                      {"TORCHELASTIC_RESTART_COUNT", "0"},
                      {"TORCHELASTIC_MAX_RESTARTS", "0"},
                      {"TORCHELASTIC_RUN_ID", "none"}};
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

// As many tokens as there may be ranks at once; each takes one, and gives it back.
class Turns {
 public:
  explicit Turns(unsigned count) {
    if (pipe(ends_) != 0) throw std::system_error(errno, std::generic_category(), "cannot start the ranks");
    for (unsigned index = 0; index < count; ++index) give();
  }
  ~Turns() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Turns(const Turns&) = delete;
  Turns& operator=(const Turns&) = delete;

  void take() const {
    char token = 0;
    while (read(ends_[0], &token, 1) < 0 && errno == EINTR) {
    }
  }
  void give() const {
    const char token = 0;
    while (write(ends_[1], &token, 1) < 0 && errno == EINTR) {
    }
  }

 private:
  int ends_[2] = {-1, -1};
};

// Those with which rank 0 exchanged tensors directly, such as the other stages of a pipeline.
std::vector<std::uint32_t> noted_peers(const std::filesystem::path& file) {
  std::vector<std::uint32_t> ranks;
  std::ifstream lines(file);
  for (std::uint32_t rank = 0; lines >> rank;) {
    if (rank != 0) ranks.push_back(rank);
  }
  if (ranks.size() >= kMostRanks) {
    say(fmt::format("rank 0 exchanges tensors directly with {} ranks; only the first {} are run",
                    ranks.size(), kMostRanks - 1));
    ranks.resize(kMostRanks - 1);
  }
  return ranks;
}

}  // namespace

std::vector<std::uint32_t> ranks_of(const JobArguments& job) {
  if (job.ranks.empty() || job.ranks == kRepresentative) return {0};
  std::set<std::uint32_t> ranks;
  std::istringstream words(job.ranks);
  for (std::string word; std::getline(words, word, ',');) {
    const auto rank = whole_number(word);
    if (!rank || *rank >= job.world_size)
      throw UsageError(
          fmt::format("exec: --rank {}: expected ranks from 0 to {}, such as 0 or 0,{}, or {}; found '{}'",
                      job.ranks, job.world_size - 1, job.world_size - 1, kRepresentative, word));
    ranks.insert(*rank);
  }
  if (ranks.size() > kMostRanks)
    throw UsageError(fmt::format("exec: --rank: at most {} ranks are run", kMostRanks));
  return {ranks.begin(), ranks.end()};
}

int run_job(const JobArguments& job, std::uint32_t ranks_on_node, const std::filesystem::path& scratch,
            const std::function<int(const Variables& variables)>& program) {
  const std::filesystem::path peers = scratch / "peers";
  const Turns turns(std::max(1U, std::thread::hardware_concurrency()));
  const auto run = [&](const std::vector<std::uint32_t>& ranks) {
    const StoreServer store(job.world_size, ranks);
    const auto run_rank = [&](std::uint32_t rank) {
      return program(variables_of(job, rank, ranks_on_node, store.port(rank),
                                  rank == 0 ? peers : std::filesystem::path()));
    };
    if (ranks.size() == 1) return run_rank(ranks.front());
    return run_rank_processes(static_cast<std::uint32_t>(ranks.size()), [&](const trainer::RankPlace& place) {
      turns.take();
      const int exit_code = run_rank(ranks[place.rank]);
      turns.give();
      return exit_code;
    });
  };
  const int exit_code = run(ranks_of(job));
  if (exit_code != kDone || job.ranks != kRepresentative) return exit_code;
  const std::vector<std::uint32_t> others = noted_peers(peers);
  if (others.empty()) {
    say("rank 0 exchanged no tensors directly with other ranks, so it represents all of them");
    return exit_code;
  }
  say(fmt::format("rank 0 exchanges tensors directly with rank{} {}: run, too", others.size() == 1 ? "" : "s",
                  fmt::join(others, ", ")));
  return run(others);
}

}  // namespace strata::cli

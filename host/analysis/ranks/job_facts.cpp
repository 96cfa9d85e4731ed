// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/job_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "host/analysis/analyse.hpp"
#include "host/analysis/ranks/waits.hpp"
#include "host/analysis/reading/run_reader.hpp"
#include "host/analysis/recording/run_error.hpp"

namespace strata::analysis {
namespace {

// A job of a million ranks that left two folders is a damaged store.
constexpr std::uint64_t kMostMissing = 4096;

void add_missing(const std::vector<RankFacts>& ranks, std::uint64_t world_size, std::vector<LostRank>& lost) {
  if (std::ranges::any_of(ranks, &RankFacts::others_are_absent)) return;
  std::uint64_t added = 0;
  for (std::uint64_t rank = 0; rank < world_size && added < kMostMissing; ++rank) {
    const bool known = std::ranges::find(ranks, rank, &RankFacts::rank) != ranks.end() ||
                       std::ranges::find(lost, rank, &LostRank::rank) != lost.end();
    if (known) continue;
    lost.push_back({rank, kLeftNothing});
    ++added;
  }
  std::ranges::stable_sort(lost, {}, &LostRank::rank);
}

std::int64_t step_to_show(const std::vector<RankFacts>& ranks, const Stragglers& stragglers) {
  if (stragglers.steps.empty()) return -1;
  if (!stragglers.ranks.empty()) {
    const std::size_t rank = stragglers.ranks.front().rank;
    const auto& slow = stragglers.ranks.front().steps;
    const auto is_slow = [&](const StepComparison& step) {
      return std::ranges::binary_search(slow, step.index);
    };
    return std::ranges::max(
               stragglers.steps, {},
               [&](const StepComparison& step) { return is_slow(step) ? step.excess_ns[rank] : INT64_MIN; })
        .index;
  }
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;  // duration, index
  for (const RankStep& step : ranks.front().steps) steps.emplace_back(step.duration_ns(), step.index);
  if (steps.empty()) return stragglers.steps.front().index;
  std::ranges::sort(steps);
  return steps[(steps.size() - 1) / 2].second;
}

// The single rank of `ddp.ranks: first` writes this before it begins (config.yaml, resolved: one line per
// key). User programs do not have this file.
bool is_configured_as_first(const std::filesystem::path& run_directory) {
  std::ifstream config(run_directory / "config.yaml");
  bool in_section = false;
  for (std::string line; std::getline(config, line);) {
    if (!line.starts_with(' ')) in_section = line == "ddp:";
    if (in_section && line == "  ranks: first") return true;
  }
  return false;
}

// What `strata exec --world` writes before a program begins.
bool is_recorded_with_absent_peers(const std::filesystem::path& run_directory) {
  std::ifstream stream(run_directory / "exec.json");
  const auto settings = nlohmann::json::parse(stream, nullptr, false);
  if (!settings.is_object() || !settings.contains("sources") || !settings["sources"].is_array()) return false;
  for (const auto& source : settings["sources"]) {
    if (!source.is_object() || !source.contains("options") || !source["options"].is_array()) continue;
    for (const auto& option : source["options"])
      if (option.is_object() && option.value("key", nlohmann::json()) == "absent_peers" &&
          option.value("text", nlohmann::json()) == "true")
        return true;
  }
  return false;
}

bool others_are_absent(const std::filesystem::path& run_directory) {
  return is_configured_as_first(run_directory) || is_recorded_with_absent_peers(run_directory);
}

std::uint64_t world_size_of(const std::filesystem::path& manifest) {
  std::ifstream stream(manifest);
  const auto document = nlohmann::json::parse(stream, nullptr, false);
  const auto size = nlohmann::json::json_pointer("/process/world_size");
  const bool is_reported =
      document.is_object() && document.contains(size) && document[size].is_number_unsigned();
  return is_reported ? document[size].get<std::uint64_t>() : 1;
}

}  // namespace

JobFacts job_facts(std::vector<RankFacts> ranks, std::vector<LostRank> lost) {
  std::uint64_t world_size = ranks.size() + lost.size();
  for (const RankFacts& rank : ranks) world_size = std::max(world_size, rank.world_size);
  add_missing(ranks, world_size, lost);
  RankClocks clocks(ranks);
  find_waits(ranks, clocks);
  Stragglers stragglers = find_stragglers(ranks);
  if (std::ranges::any_of(ranks, &RankFacts::others_are_absent)) {  // ranks ran in turn, beside no card
    stragglers.ranks.clear();
    stragglers.steps.clear();
  }
  Imbalance imbalance = find_imbalance(ranks);
  const std::int64_t shown_step = step_to_show(ranks, stragglers);
  return {.directory = {},
          .world_size = world_size,
          .ranks = std::move(ranks),
          .lost = std::move(lost),
          .clocks = std::move(clocks),
          .stragglers = std::move(stragglers),
          .imbalance = std::move(imbalance),
          .shown_step = shown_step};
}

std::vector<std::uint64_t> ranks_in(const std::filesystem::path& run_directory) {
  std::error_code error;
  std::vector<std::uint64_t> ranks;
  for (const auto& entry : std::filesystem::directory_iterator(run_directory, error)) {
    std::error_code unreadable;
    if (const auto rank = rank_of_folder(entry.path()); rank && entry.is_directory(unreadable))
      ranks.push_back(*rank);
  }
  if (error) throw RunError(fmt::format("{}: {}", run_directory.string(), error.message()));
  std::ranges::sort(ranks);
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

bool has_several_ranks(const std::filesystem::path& run_directory) {
  const std::vector<std::uint64_t> ranks = ranks_in(run_directory);
  if (ranks.size() != 1) return ranks.size() > 1;
  const std::filesystem::path folder =
      ranks.front() == 0 ? run_directory : run_directory / fmt::format("rank{}", ranks.front());
  return world_size_of(folder / "manifest.json") > 1 && !others_are_absent(run_directory);
}

JobFacts read_job(const std::filesystem::path& run_directory, const std::function<void(const Facts&)>& seen) {
  std::vector<RankFacts> ranks;
  std::vector<LostRank> lost;
  const bool are_absent = others_are_absent(run_directory);
  for (const std::uint64_t rank : ranks_in(run_directory)) {
    try {
      const Facts facts = analyse(run_directory, rank);
      ranks.push_back(rank_facts(facts));
      ranks.back().rank = rank;  // from its folder, whatever the store contains
      ranks.back().others_are_absent = are_absent;
      if (seen) seen(facts);
    } catch (const RunError& problem) {
      lost.push_back({rank, problem.what()});
    }
  }
  if (ranks.empty()) {
    throw RunError(lost.empty()
                       ? fmt::format("{}: contains no rank<k>/<pid>.sqlite, so it is not a run of Strata",
                                     run_directory.string())
                       : lost.front().reason);
  }
  JobFacts job = job_facts(std::move(ranks), std::move(lost));
  job.directory = run_directory.string();
  return job;
}

}  // namespace strata::analysis

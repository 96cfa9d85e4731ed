// SPDX-License-Identifier: Apache-2.0
#include "host/analysis/ranks/job_json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/analysis/json/or_null.hpp"
#include "host/analysis/json/summary_parts.hpp"

namespace strata::analysis {
namespace {

using Json = nlohmann::ordered_json;

// For a list that may be as long as the model is deep.
constexpr std::size_t kMostShares = 20;

Json other_cards_json(const RankFacts& rank) {
  Json cards = Json::array();
  for (const OtherMemory& card : rank.other_cards)
    cards.push_back({{"device", card.device}, {"peak_allocated_bytes", card.peak_allocated_bytes}});
  return cards;
}

Json compared_rank_json(const JobFacts& job, std::size_t index) {
  const RankFacts& rank = job.ranks[index];
  return {{"rank", rank.rank},
          {"pid", rank.pid},
          {"hostname", rank.clock.hostname},
          {"clock", job.clocks.clock_of(index)},
          {"device", rank.device},
          {"measured", !rank.is_dry},
          {"end", to_string(rank.end)},
          {"begin_ns", job.clocks.to_first(index, rank.begin_ns) - job.ranks.front().begin_ns},
          {"peak",
           {{"allocated_bytes", rank.peak_allocated_bytes},
            {"reserved_bytes", rank.peak_reserved_bytes},
            {"step", rank.peak_step >= 0 ? Json(rank.peak_step) : Json(nullptr)},
            {"categories", to_json(rank.peak_categories)}}},
          {"other_cards", other_cards_json(rank)},
          {"most_unknown_bytes", rank.most_unknown_bytes},
          {"complete_steps", rank.steps.size()},
          {"median_step_ns", or_null(rank.median_step_ns)},
          {"median_wait_ns", rank.is_dry ? Json(nullptr) : Json(job.stragglers.waits_ns[index])},
          {"warnings", rank.warnings}};
}

Json clock_json(const JobFacts& job, const JobClock& clock) {
  Json ranks = Json::array();
  for (const std::size_t rank : clock.ranks) ranks.push_back(job.ranks[rank].rank);
  return {{"hostname", clock.hostname},
          {"ranks", std::move(ranks)},
          {"placed_by", to_string(clock.placed_by)},
          {"correction_ns", clock.correction_ns},
          {"uncertainty_ns", or_null(clock.uncertainty_ns)},
          {"wall_clocks_apart_ns", clock.wall_clocks_apart_ns}};
}

Json straggler_json(const JobFacts& job, const Straggler& straggler) {
  Json phases = Json::array();
  for (const SlowPhase& phase : straggler.phases)
    phases.push_back({{"name", phase.name}, {"total_ns", phase.total_ns}});
  return {{"rank", job.ranks[straggler.rank].rank},
          {"steps", straggler.steps},
          {"total_ns", straggler.total_ns},
          {"median_ns", straggler.median_ns},
          {"phases", std::move(phases)}};
}

Json imbalance_json(const JobFacts& job) {
  const Imbalance& imbalance = job.imbalance;
  Json categories = Json::object();
  for (std::size_t category = 0; category < kCategories; ++category)
    categories[to_string(static_cast<Category>(category))] = imbalance.by_category.at(category);
  Json shares = Json::array();
  for (const ShareDifference& share : imbalance.shares) {
    if (shares.size() == kMostShares) break;
    shares.push_back({{"category", to_string(share.category)},
                      {"kind", share.kind},
                      {"layer", share.layer},
                      {"bytes", share.bytes}});
  }
  return {{"heaviest", job.ranks[imbalance.heaviest].rank},
          {"lightest", job.ranks[imbalance.lightest].rank},
          {"typical", job.ranks[imbalance.typical].rank},
          {"spread_bytes", imbalance.spread_bytes},
          {"categories", std::move(categories)},
          {"shares", std::move(shares)}};
}

Json compared_step_json(const JobFacts& job, const StepComparison& step) {
  return {{"index", step.index}, {"slowest", job.ranks[step.slowest].rank}, {"excess_ns", step.excess_ns}};
}

}  // namespace

std::string ranks_document(const JobFacts& job) {
  Json ranks = Json::array(), lost = Json::array(), clocks = Json::array(), stragglers = Json::array(),
       steps = Json::array();
  for (std::size_t rank = 0; rank < job.ranks.size(); ++rank) ranks.push_back(compared_rank_json(job, rank));
  for (const LostRank& each : job.lost) lost.push_back({{"rank", each.rank}, {"reason", each.reason}});
  for (const JobClock& clock : job.clocks.clocks()) clocks.push_back(clock_json(job, clock));
  for (const Straggler& each : job.stragglers.ranks) stragglers.push_back(straggler_json(job, each));
  for (const StepComparison& step : job.stragglers.steps) steps.push_back(compared_step_json(job, step));
  const Json document = {{"schema", "strata.ranks/1"},       {"world_size", job.world_size},
                         {"ranks", std::move(ranks)},        {"lost", std::move(lost)},
                         {"clocks", std::move(clocks)},      {"stragglers", std::move(stragglers)},
                         {"imbalance", imbalance_json(job)}, {"steps", std::move(steps)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace strata::analysis

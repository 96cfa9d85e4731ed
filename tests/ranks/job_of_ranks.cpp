// SPDX-License-Identifier: Apache-2.0
#include "tests/ranks/job_of_ranks.hpp"

#include <algorithm>
#include <array>

#include "strata/ext/phase.h"

namespace strata::analysis::testing {
namespace {

constexpr std::int64_t kBegin = 50'000 * kMs, kWall = 1'800'000'000'000 * kMs;

struct PhaseOfStep {
  const char* name;
  std::uint32_t kind;
  std::int64_t ns;
};
constexpr std::array kPhases{PhaseOfStep{"data", STRATA_PHASE_DATA, 1 * kMs},
                             PhaseOfStep{"forward", STRATA_PHASE_FORWARD, 3 * kMs},
                             PhaseOfStep{"backward", STRATA_PHASE_BACKWARD, 4 * kMs},
                             PhaseOfStep{"optimizer", STRATA_PHASE_OPTIMIZER, 2 * kMs}};

std::int64_t planted(const JobShape& shape, std::size_t rank, std::int64_t step, const char* phase) {
  return shape.planted_ns ? shape.planted_ns(rank, step, phase) : 0;
}

RankFacts one_rank(std::size_t rank, const JobShape& shape) {
  RankFacts facts;
  facts.rank = rank;
  facts.world_size = shape.ranks;
  facts.name = "job";
  facts.device = "cpu";
  facts.end = analysis::RunEnd::kDone;
  facts.clock = {.hostname = "node-a", .boot_id = "boot-a", .pairs = {{kBegin, kWall + kBegin}}};
  facts.begin_ns = kBegin;
  for (const PhaseOfStep& phase : kPhases) facts.names.emplace_back(phase.name);
  facts.bucket_bytes = {1 * kMiB, 25 * kMiB};
  facts.backward_operators = {"AddmmBackward0", "MseLossBackward0"};
  facts.peak_allocated_bytes = 100 * kMiB;
  facts.peak_reserved_bytes = 120 * kMiB;
  facts.peak_categories[static_cast<std::size_t>(Category::kParameter)] = 40 * kMiB;
  facts.peak_categories[static_cast<std::size_t>(Category::kActivation)] = 60 * kMiB;
  facts.shares = {{Category::kActivation, "saved", "blocks.0", 60 * kMiB},
                  {Category::kParameter, "parameter", "", 40 * kMiB}};
  return facts;
}

}  // namespace

std::vector<RankFacts> job_of_ranks(const JobShape& shape) {
  std::vector<RankFacts> ranks;
  for (std::size_t rank = 0; rank < shape.ranks; ++rank) ranks.push_back(one_rank(rank, shape));
  std::vector<std::int64_t> now(shape.ranks, kBegin + kMs);
  for (std::int64_t step = 0; step < shape.steps; ++step) {
    std::int64_t all_done_ns = 0;
    for (std::size_t rank = 0; rank < shape.ranks; ++rank) {
      RankStep& added = ranks[rank].steps.emplace_back();
      added.index = step;
      added.begin_ns = now[rank];
      for (std::uint32_t name = 0; name < kPhases.size(); ++name) {
        const PhaseOfStep& phase = kPhases.at(name);
        const std::int64_t begin_ns = now[rank];
        now[rank] += phase.ns + planted(shape, rank, step, phase.name);
        added.phases.push_back(
            {.name = name, .kind = phase.kind, .begin_ns = begin_ns, .end_ns = now[rank], .waited_ns = 0});
        if (phase.kind != STRATA_PHASE_BACKWARD) continue;
        added.backward_end = {.last_gradient_ns = now[rank], .goes_on_ns = now[rank]};
        all_done_ns = std::max(all_done_ns, now[rank]);
      }
    }
    // A rank that reaches the end of backward early waits there; its later phases are delayed as much.
    for (std::size_t rank = 0; rank < shape.ranks; ++rank) {
      RankStep& added = ranks[rank].steps.back();
      const std::int64_t waits_ns = all_done_ns - added.phases[2].end_ns;
      added.phases[2].end_ns += waits_ns;
      added.phases[3].begin_ns += waits_ns;
      added.phases[3].end_ns += waits_ns;
      added.backward_end->goes_on_ns = added.phases[3].begin_ns;
      now[rank] = added.end_ns = added.phases[3].end_ns;
    }
  }
  for (std::size_t rank = 0; rank < shape.ranks; ++rank) {
    ranks[rank].end_ns = now[rank] + kMs;
    if (!ranks[rank].steps.empty())
      ranks[rank].median_step_ns = static_cast<double>(ranks[rank].steps.back().duration_ns());
  }
  return ranks;
}

void move_to_machine(RankFacts& rank, const char* hostname, std::int64_t boot_ns, std::int64_t wall_ns) {
  rank.clock.hostname = hostname;
  rank.clock.boot_id = hostname;
  const auto move = [&](std::int64_t& ns) { ns -= boot_ns; };
  for (ClockPair& pair : rank.clock.pairs) {
    move(pair.monotonic_ns);
    pair.realtime_ns += wall_ns;
  }
  move(rank.begin_ns);
  move(rank.end_ns);
  for (RankStep& step : rank.steps) {
    move(step.begin_ns);
    move(step.end_ns);
    if (step.backward_end) {
      move(step.backward_end->last_gradient_ns);
      move(step.backward_end->goes_on_ns);
    }
    for (RankPhase& phase : step.phases) {
      move(phase.begin_ns);
      move(phase.end_ns);
    }
  }
}

}  // namespace strata::analysis::testing

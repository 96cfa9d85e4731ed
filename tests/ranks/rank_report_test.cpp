// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "host/analysis/ranks/job_json.hpp"
#include "host/report/ranks/rank_choice.hpp"
#include "host/report/ranks/rank_findings.hpp"
#include "host/report/ranks/ranks_page.hpp"
#include "host/report/ranks/step_intervals.hpp"
#include "host/report/text.hpp"
#include "tests/ranks/job_of_ranks.hpp"

namespace strata::report {
namespace {

using analysis::JobFacts;
using analysis::testing::job_of_ranks;
using analysis::testing::kMiB;
using analysis::testing::kMs;

// 64 ranks on 8 machines: one is slow, one uses more memory, one is lost.
JobFacts job_of_64() {
  std::vector<analysis::RankFacts> ranks =
      job_of_ranks({.ranks = 64, .planted_ns = [](std::size_t rank, std::int64_t, std::string_view phase) {
                      return rank == 37 && phase == "data" ? 6 * kMs : std::int64_t{0};
                    }});
  for (std::size_t rank = 8; rank < ranks.size(); ++rank)
    analysis::testing::move_to_machine(ranks[rank],
                                       ("a-node-with-a-long-name-" + std::to_string(rank / 8)).c_str(),
                                       static_cast<std::int64_t>(rank / 8) * 10'000 * kMs, 0);
  ranks[11].peak_allocated_bytes += 50 * kMiB;
  ranks[11].shares.front().bytes += 50 * kMiB;
  ranks.erase(ranks.begin() + 50);
  return analysis::job_facts(std::move(ranks), {{50, "rank50/7.sqlite: is not a database"}});
}

TEST(RankReport, SixtyFourRanksFitAScreen) {
  std::string text = rank_report(job_of_64(), false, 80);
  std::istringstream stream(text);
  std::size_t lines = 0;
  for (std::string line; std::getline(stream, line); ++lines) EXPECT_LE(columns(line), 80) << line;
  EXPECT_LE(lines, 50u) << text;
  for (std::size_t at = 0; (at = text.find("\n  ", at)) != std::string::npos;) text.replace(at, 3, " ");
  for (const char* const said :
       {"63 of 64 ranks, on 8 machines", "rank 37 is slowest in 5 of 5 steps (0-4), by 6.0 ms",
        "data +6.0 ms", "rank 11 has the highest peak, 150.0 MiB", "+50.0 Activation / saved in blocks.0",
        "60 ranks that do not stand out: 100.0 MiB allocated", "rank 50 cannot be read"})
    EXPECT_NE(text.find(said), std::string::npos) << said << '\n' << text;
}

TEST(RankReport, JsonHoldsEveryRank) {
  const auto json = nlohmann::json::parse(analysis::ranks_document(job_of_64()));
  EXPECT_EQ(json["schema"], "strata.ranks/1");
  EXPECT_EQ(json["ranks"].size(), 63u);
  EXPECT_EQ(json["lost"][0]["rank"], 50);
  EXPECT_EQ(json["stragglers"][0]["rank"], 37);
  EXPECT_EQ(json["stragglers"][0]["phases"][0]["name"], "data");
  EXPECT_EQ(json["imbalance"]["heaviest"], 11);
  EXPECT_EQ(json["imbalance"]["shares"][0]["bytes"], 50 * kMiB);
  EXPECT_EQ(json["clocks"].size(), 8u);
}

TEST(RankReport, ThePageEscapesWhatStrangersNamed) {
  std::vector<analysis::RankFacts> ranks = job_of_ranks({.ranks = 2});
  ranks[1].clock.hostname = ranks[1].names[0] = "<script>x</script>";
  const std::string page = ranks_page(analysis::job_facts(std::move(ranks), {}));
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_NE(page.find("rank1/report.html"), std::string::npos);
}

// What docs/ranks.md promises for ranks.html, except the table's row for each rank.
constexpr std::size_t kMostPageBytes = std::size_t{2} << 20;

TEST(RankReport, ThePageOfManyStepsStaysSmallAndLosesNoExtreme) {
  std::vector<analysis::RankFacts> ranks =
      job_of_ranks({.ranks = 64,
                    .steps = 10'000,
                    .planted_ns = [](std::size_t rank, std::int64_t step, std::string_view phase) {
                      if (phase != "data") return std::int64_t{0};
                      if (rank == 37 && step == 7'777) return 60 * kMs;
                      return (static_cast<std::int64_t>(rank) * 31 + step * 7) % 64 * 10'000;
                    }});
  const std::string page = ranks_page(analysis::job_facts(std::move(ranks), {}));
  EXPECT_LT(page.size(), kMostPageBytes);
  EXPECT_NE(page.find("rank 37, step 7777: 59."), std::string::npos);
  EXPECT_NE(page.find(">rank 63</a>"), std::string::npos);
}

TEST(RankReport, ThePageOfManyRanksAndPhasesStaysSmall) {
  constexpr std::size_t kRanks = 1024;
  std::vector<analysis::RankFacts> ranks =
      job_of_ranks({.ranks = kRanks,
                    .steps = 300,
                    .planted_ns = [](std::size_t rank, std::int64_t step, std::string_view phase) {
                      return rank == 777 && step == 123 && phase == "data" ? 60 * kMs : std::int64_t{0};
                    }});
  // Of the drawn step: 1000 micro-batches.
  for (analysis::RankFacts& rank : ranks) {
    analysis::RankStep& step = rank.steps[123];
    const analysis::RankPhase forward = step.phases[1];
    std::vector<analysis::RankPhase> phases{step.phases[0]};
    for (std::int64_t part = 0; part < 1000; ++part) {
      phases.push_back(forward);
      phases.back().begin_ns = forward.begin_ns + part * 3'000;
      phases.back().end_ns = phases.back().begin_ns + 2'900;
    }
    phases.insert(phases.end(), step.phases.begin() + 2, step.phases.end());
    step.phases = phases;
  }
  const std::string page = ranks_page(analysis::job_facts(std::move(ranks), {}));
  const std::size_t table = page.find("<table>"), end = page.find("</table>");
  ASSERT_NE(end, std::string::npos);
  EXPECT_LT(page.size() - (end - table), kMostPageBytes);
  EXPECT_LT((end - table) / kRanks, 1024u) << "of the table's row of a rank";
  EXPECT_NE(page.find("rank 777, step 123: 60.0 ms slower"), std::string::npos);
  EXPECT_NE(page.find("rank 777: data"), std::string::npos) << "who stands out is drawn";
  EXPECT_NE(page.find("64 of 1024 ranks"), std::string::npos);
}

TEST(StepIntervals, PhasesTooNarrowToSeeAreOneBarWithTheLongestOfThem) {
  analysis::RankFacts rank;
  rank.names = {"forward", "backward"};
  analysis::RankStep step;
  step.phases = {{.name = 0, .kind = 4, .begin_ns = 0, .end_ns = 10},
                 {.name = 1, .kind = 6, .begin_ns = 10, .end_ns = 40},
                 {.name = 0, .kind = 4, .begin_ns = 40, .end_ns = 50},
                 {.name = 1, .kind = 6, .begin_ns = 50, .end_ns = 350, .waited_ns = 100},
                 {.name = 0, .kind = 4, .begin_ns = 350, .end_ns = 360}};
  const std::vector<StepInterval> found = intervals_of(rank, step, 100.0);
  ASSERT_EQ(found.size(), 4u);
  EXPECT_EQ(found[0].text(), "3 phases, of which backward is longest,");
  EXPECT_EQ(found[0].end_ns, 50);
  EXPECT_EQ(found[1].text(), "backward");
  EXPECT_EQ(found[1].end_ns, 250);
  EXPECT_EQ(found[2].text(), "backward, waiting for others,");
  EXPECT_EQ(found[3].begin_ns, 350);
  EXPECT_EQ(intervals_of(rank, step, 0.0).size(), 6u);
}

TEST(RankReport, EveryRankThatCannotBeReadIsNamed) {
  std::vector<analysis::RankFacts> ranks = job_of_ranks({.ranks = 20});
  std::vector<analysis::LostRank> lost;
  for (const std::size_t rank : {1u, 3u, 4u, 5u, 8u, 11u, 12u, 13u, 17u}) lost.push_back({rank, "damaged"});
  std::erase_if(ranks, [&](const analysis::RankFacts& rank) {
    return rank.rank == 19 || std::ranges::find(lost, rank.rank, &analysis::LostRank::rank) != lost.end();
  });
  const std::vector<std::string> said =
      lost_sentences(analysis::job_facts(std::move(ranks), std::move(lost)));
  ASSERT_EQ(said.size(), 7u);
  EXPECT_EQ(said[4], "rank 8 cannot be read: damaged");
  EXPECT_EQ(said[5], "4 ranks more cannot be read: 11-13, 17");
  EXPECT_EQ(said[6], "1 rank of 20 left nothing in this folder: 19");
}

TEST(RankReport, RanksThatAreMissingBesideOneAreNamed) {
  const std::string text = rank_report(analysis::job_facts(
                                           [] {
                                             std::vector<analysis::RankFacts> one =
                                                 job_of_ranks({.ranks = 1});
                                             one.front().world_size = 4;
                                             return one;
                                           }(),
                                           {}),
                                       false, 80);
  EXPECT_NE(text.find("Ranks: 1 of 4 ranks"), std::string::npos) << text;
  EXPECT_NE(text.find("3 ranks of 4 left nothing in this folder: 1-3"), std::string::npos) << text;
}

// On the terminal and on the page: how each clock was placed, and its uncertainty.
std::string clocks_said(std::vector<analysis::RankFacts> ranks) {
  std::string text;
  for (const std::string& sentence : clock_sentences(analysis::job_facts(std::move(ranks), {})))
    text += sentence + '\n';
  return text;
}

TEST(RankReport, SaysWhatPlacedTheClocks) {
  std::vector<analysis::RankFacts> ranks = job_of_ranks({.ranks = 2});
  EXPECT_EQ(clocks_said(ranks), "all ranks read one clock, that of node-a: nothing is corrected\n");
  const std::string first = "times are on the clock of node-a (rank 0)\n";
  analysis::testing::move_to_machine(ranks[1], "node-b", 1000 * kMs, 0);
  EXPECT_EQ(clocks_said(ranks),
            first + "node-b (rank 1): by the wall clocks, known to ±4.0 ms, as averaged gradients show\n");
  for (analysis::RankFacts& rank : ranks) rank.device = "cuda:0";
  EXPECT_EQ(clocks_said(ranks),
            first +
                "node-b (rank 1): by the wall clocks, off by nobody knows how much: hosts do not wait while "
                "CUDA devices average, so no step can check them\n");
  ranks[0].device = ranks[1].device = "cpu";
  ranks[0].backward_operators.clear();
  EXPECT_EQ(clocks_said(ranks),
            first +
                "node-b (rank 1): by the wall clocks, off by nobody knows how much: nothing shows that all "
                "ranks average with all others, so no step can check them\n");
  ranks[1].clock.pairs.clear();
  EXPECT_EQ(clocks_said(ranks), first +
                                    "node-b (rank 1): no wall clock was recorded, and no step tells: its "
                                    "times cannot be placed\n");
  const std::string page = ranks_page(analysis::job_facts(ranks, {}));
  EXPECT_NE(page.find("<h2>Clocks</h2>"), std::string::npos);
}

TEST(RankReport, ARankWithoutAStepIsShownWithItsEnd) {
  std::vector<analysis::RankFacts> ranks = job_of_ranks({.ranks = 2});
  ranks[1].steps.clear();
  ranks[1].median_step_ns.reset();
  ranks[1].end = analysis::RunEnd::kKilled;
  const std::string text = rank_report(analysis::job_facts(std::move(ranks), {}), false, 80);
  EXPECT_NE(text.find("rank 1: its run ended as 'killed'"), std::string::npos) << text;
}

TEST(RankReport, NumbersInARowAreARange) {
  EXPECT_EQ(ranges_text(std::vector<int>{0, 1, 2, 5, 7, 8}), "0-2, 5, 7, 8");
  EXPECT_EQ(ranges_text(std::vector<int>{}), "");
}

}  // namespace
}  // namespace strata::report

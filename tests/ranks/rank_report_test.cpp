// SPDX-License-Identifier: Apache-2.0
#include "host/report/ranks/rank_report.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <string_view>

#include "host/analysis/ranks/job_json.hpp"
#include "host/report/ranks/rank_choice.hpp"
#include "host/report/ranks/ranks_page.hpp"
#include "host/report/text.hpp"
#include "tests/ranks/job_of_ranks.hpp"

namespace strata::report {
namespace {

using analysis::JobFacts;
using analysis::testing::job_of_ranks;
using analysis::testing::kMiB;
using analysis::testing::kMs;

// Of 64 ranks on 8 machines one is slow, one heavy, one lost.
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

TEST(RankReport, ARankWithoutAStepIsShownWithItsEnd) {
  std::vector<analysis::RankFacts> ranks = job_of_ranks({.ranks = 2});
  ranks[1].steps.clear();
  ranks[1].median_step_ns.reset();
  ranks[1].end = "killed";
  const std::string text = rank_report(analysis::job_facts(std::move(ranks), {}), false, 80);
  EXPECT_NE(text.find("rank 1: its run ended as 'killed'"), std::string::npos) << text;
}

TEST(RankReport, NumbersInARowAreARange) {
  EXPECT_EQ(ranges_text(std::vector<int>{0, 1, 2, 5, 7, 8}), "0-2, 5, 7, 8");
  EXPECT_EQ(ranges_text(std::vector<int>{}), "");
}

}  // namespace
}  // namespace strata::report
